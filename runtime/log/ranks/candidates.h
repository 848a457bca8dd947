/* Candidates: records and names that another rank may also have. They travel up the tree in order.
 * Candidates with the same id and section are merged by the rules of the format. */
#ifndef DARSHAN_RANKS_CANDIDATES_H
#define DARSHAN_RANKS_CANDIDATES_H

#include "../arena.h"
#include "merge/merge.h"
#include "rank.h"

/* Sections of a log: the names, then each module by its id. */
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
  uint32_t ranks; /* number of ranks whose records are merged in it */
  int32_t lowest, highest;
  uint64_t order;    /* order of creation in this rank; CANDIDATE_LAST: of another rank */
  uint32_t borrowed; /* 1: bytes are memory of the rank, which is only read */
  char *bytes;       /* if not borrowed: in the arena */
  struct darshan_spread spread; /* if ranks > 1 */
};

#define CANDIDATE_LAST UINT64_MAX

/* Returns the largest number of bytes of a candidate with a record of `size` bytes; the record is
 * rounded up to 64-bit words. */
static inline size_t candidate_room(size_t size) {
  return sizeof(struct candidate) + ((size + 7) & ~(size_t)7);
}

struct candidates {
  struct arena *arena;
  struct candidate **items; /* by section, then id */
  size_t count;
  size_t bytes;                   /* of memory, at most */
  struct darshan_merge_plan plan; /* of the section that was merged last */
  int plan_section, plan_merges;
};

/* Returns an empty set, whose candidates will be in the arena. */
static inline struct candidates candidates_none(struct arena *arena) {
  return (struct candidates){.arena = arena, .plan_section = -1};
}

/* --- adding ---------------------------------------------------------------------- */

/* Appends a candidate, which the caller fills. The caller keeps the order of items and has made a
 * slot in it. Returns NULL if out of memory. */
struct candidate *candidates_add(struct candidates *set, size_t size);

struct found { /* a record or name of this rank, at any address */
  uint64_t id;
  const char *at;
  size_t size;
};
/* Adds n records of a section that follows all sections of the set. A record is not copied until
 * another one is merged into it. Sorts `found`. Returns 0, or -1 if out of memory. */
int candidates_add_found(struct candidates *set, int section, const struct reduce_source *source,
                         struct found *found, size_t n);
/* Merges the candidates that a child sent into the set: count candidates in n bytes. Returns 0,
 * or -1 if out of memory or if the message is invalid. */
int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count);

/* --- merging ----------------------------------------------------------------------- */

/* Returns 1 if the records of the section have counters, and sets set->plan for them. */
int candidates_can_merge(struct candidates *set, int section);
/* Copies borrowed bytes, so that they may be changed. Returns 0, or -1 if out of memory. */
int candidate_own(struct arena *arena, struct candidate *candidate);
/* Merges `from` into `into`, which has the same id and section. `from` is of higher ranks and may
 * be changed. Returns 0, or -1 if out of memory. */
int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from);

/* --- removing ---------------------------------------------------------------------- */

/* Finishes a candidate that has the records of all its ranks. It gets rank -1 if it has several
 * ranks or all ranks of the job. Returns 0, or -1 if out of memory. */
int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs);
/* Sorts candidates into the order of streams: by section, with shared records last, then in the
 * order of their creation in this rank, because records from the same time are similar and compress
 * better. Candidates of other ranks follow by id. Returns 0, or -1 if out of memory. */
int candidates_sort_for_log(struct arena *arena, struct candidate **items, size_t n);
/* Frees the memory of candidates that have left the set; the others move. Returns 0, or -1 if
 * out of memory. */
int candidates_compact(struct candidates *set);

/* Returns the largest possible number of bytes of an encoded candidate. candidate_encode encodes
 * the candidate for a message, without its zero words, and returns the number of bytes. */
size_t candidate_wire_max(const struct candidate *candidate);
size_t candidate_encode(const struct candidate *candidate, char *out);

#endif
