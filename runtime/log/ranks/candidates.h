/* Records and names that another rank may have too.  They travel up the tree in
 * order; equal ones become one by the rules of the format. */
#ifndef DARSHAN_RANKS_CANDIDATES_H
#define DARSHAN_RANKS_CANDIDATES_H

#include "arena.h"
#include "merge.h"

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
  uint32_t borrowed;            /* 1: bytes belong to the rank, and are only read */
  char *bytes;                  /* else they follow the struct */
  struct darshan_spread spread; /* when ranks > 1 */
};

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

/* Room for one more of this size at the end of the list, to be filled by the
 * caller, in order.  items has the room.  NULL: no memory. */
struct candidate *candidates_add(struct candidates *set, size_t size);
/* The same for bytes that stay where they are until something is merged into
 * them. */
struct candidate *candidates_add_borrowed(struct candidates *set, const char *bytes, size_t size);
/* Merges what a child sent into the set: n bytes, count candidates. */
int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count);

/* As they travel: words that are 0 are left out. */
size_t candidate_wire_max(const struct candidate *candidate);
size_t candidate_encode(const struct candidate *candidate, char *out);
/* NULL: no memory, or a message that is not ours. */
struct candidate *candidate_decode(struct arena *arena, const char **at, const char *end);

/* Its bytes may be changed from now on.  0, or -1: no memory. */
int candidate_own(struct arena *arena, struct candidate *candidate);
/* Makes one candidate of two of the same id and section; `from` is of higher
 * ranks and may be changed.  0, or -1: no memory. */
int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from);
/* All ranks that it stands for are in it: rank -1 if there are several, or all
 * ranks of the job.  0, or -1: no memory. */
int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs);
/* True if this section is one of counters. */
int candidates_can_merge(struct candidates *set, int section);

#endif
