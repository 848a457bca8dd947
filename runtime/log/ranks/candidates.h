/* Records and names that another rank may have too.  They travel up the tree in
 * order; equal ones become one by the rules of the format. */
#ifndef DARSHAN_RANKS_CANDIDATES_H
#define DARSHAN_RANKS_CANDIDATES_H

#include "../arena.h"
#include "merge.h"
#include "rank.h"

/* The parts of a log as numbers: names, then each module by its id. */
enum { SECTION_NAMES = 0, SECTION_FIRST_MODULE = 1, SECTIONS = 1 + 127 };
static inline int section_of_module(int module) {
  return module + SECTION_FIRST_MODULE;
}
static inline int section_module(int section) {
  return section - SECTION_FIRST_MODULE;
}

struct candidate {
  uint64_t id;
  uint32_t section;
  uint32_t size;  /* bytes of the record, or of a name with its NUL */
  uint32_t ranks; /* that had one */
  int32_t lowest, highest;
  uint64_t order;               /* of this rank's own, as they were made; CANDIDATE_LAST: others */
  uint32_t borrowed;            /* 1: bytes belong to the rank, and are only read */
  char *bytes;                  /* else they follow the struct */
  struct darshan_spread spread; /* when ranks > 1 */
};

#define CANDIDATE_LAST UINT64_MAX

/* What it takes in memory at most: whole words, as it travels. */
static inline size_t candidate_room(size_t size) {
  return sizeof(struct candidate) + ((size + 7) & ~(size_t)7);
}

struct candidates {
  struct arena *arena;
  struct candidate **items; /* by section, then id */
  size_t count;
  size_t bytes;                   /* that they take */
  struct darshan_merge_plan plan; /* of the section that was merged last */
  int plan_section, plan_merges;
};

/* None yet; they will be in the arena. */
static inline struct candidates candidates_none(struct arena *arena) {
  return (struct candidates){.arena = arena, .plan_section = -1};
}

/* --- into the set ---------------------------------------------------------------- */

/* Room for one more of this size at the end of the list, to be filled by the
 * caller, in order.  items has the room.  NULL: no memory. */
struct candidate *candidates_add(struct candidates *set, size_t size);

struct found { /* a record or name of this rank, wherever it stands */
  uint64_t id;
  const char *at;
  size_t size;
};
/* Adds those of one section, which comes behind all that are there.  They stay
 * where they are until something is merged into them; the list is put in order. */
int candidates_add_found(struct candidates *set, int section, const struct reduce_source *source,
                         struct found *found, size_t n);
/* Merges what a child sent into the set: n bytes, count candidates. */
int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count);

/* --- in it ------------------------------------------------------------------------- */

/* True if this section is one of counters. */
int candidates_can_merge(struct candidates *set, int section);
/* Its bytes may be changed from now on.  0, or -1: no memory. */
int candidate_own(struct arena *arena, struct candidate *candidate);
/* Makes one candidate of two of the same id and section; `from` is of higher
 * ranks and may be changed.  0, or -1: no memory. */
int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from);

/* --- out of it --------------------------------------------------------------------- */

/* All ranks that it stands for are in it: rank -1 if there are several, or all
 * ranks of the job.  0, or -1: no memory. */
int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs);
/* Into the order of streams: by section, combined records last, then in the order in which
 * this rank made them, which is that of time: neighbours are alike and take less room.
 * Those that this rank does not have follow by id. */
int candidates_sort_for_log(struct arena *arena, struct candidate **items, size_t n);
/* Gives back the memory of those that have left; the others move. */
int candidates_compact(struct candidates *set);

/* As they travel: words that are 0 are left out. */
size_t candidate_wire_max(const struct candidate *candidate);
size_t candidate_encode(const struct candidate *candidate, char *out);

#endif
