/* Candidates: records and names that another rank may also have. Each rank sends its candidates to
 * its parent in the tree of ranks, sorted by section and id. Candidates with the same section and
 * id are merged by the rules of the format. */
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
  uint32_t section;        /* SECTION_NAMES, or section_of_module of its module */
  uint32_t size;           /* bytes of the record, or of a name with its NUL */
  uint32_t ranks;          /* number of ranks whose records the candidate contains */
  int32_t lowest, highest; /* the lowest and the highest of these ranks */
  uint64_t order; /* order of creation in this rank; CANDIDATE_LAST: it comes from another rank */
  uint32_t borrowed;            /* 1: bytes point to the rank's own record, which is only read */
  char *bytes;                  /* in the arena if not borrowed */
  struct darshan_spread spread; /* used if ranks > 1 */
};

#define CANDIDATE_LAST UINT64_MAX

/* Returns how many bytes of the arena a candidate with a record of `size` bytes takes at most; the
 * record is rounded up to 64-bit words. */
static inline size_t candidate_room(size_t size) {
  return sizeof(struct candidate) + ((size + 7) & ~(size_t)7);
}

struct candidates {
  struct arena *arena;
  struct candidate **items; /* sorted by section, then id */
  size_t count;
  size_t bytes;                   /* upper bound of the memory that the candidates take */
  struct darshan_merge_plan plan; /* for the section that was merged last */
  int plan_section, plan_merges;
};

/* Returns an empty set, whose candidates will be in the arena. */
static inline struct candidates candidates_none(struct arena *arena) {
  return (struct candidates){.arena = arena, .plan_section = -1};
}

/* --- adding ---------------------------------------------------------------------- */

/* Appends a candidate of one rank with `size` uninitialized bytes. The caller fills in the bytes
 * and the other members, keeps the items in order and has reserved a slot in the array. Returns
 * NULL if out of memory. */
struct candidate *candidates_add(struct candidates *set, size_t size);

struct found { /* a record or name of this rank, at any address */
  uint64_t id;
  const char *at;
  size_t size;
};
/* Adds n records, or names, of a section that follows all sections of the set. Adds only the first
 * of records with the same id. A candidate borrows the rank's record until another record is merged
 * into it. Sorts `found`. Returns 0, or -1 if out of memory. */
int candidates_add_found(struct candidates *set, int section, const struct reduce_source *source,
                         struct found *found, size_t n);
/* Merges the candidates of a child's message into the set: `count` candidates in n bytes. Returns
 * 0, or -1 if out of memory or if the message is invalid. */
int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count);

/* --- merging ----------------------------------------------------------------------- */

/* Returns 1 and sets set->plan if the records of the section can be merged, because they consist of
 * counters; otherwise 0. */
int candidates_can_merge(struct candidates *set, int section);
/* Copies borrowed bytes, so that they may be changed. Returns 0, or -1 if out of memory. */
int candidate_own(struct arena *arena, struct candidate *candidate);
/* Merges `from` into `into`, which has the same section: the same record in higher ranks or, when
 * leave_excess folds a section into one record, another record. If records of the section cannot be
 * merged, keeps that of `into`. `from` may be changed. Returns 0, or -1 if out of memory. */
int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from);

/* --- removing ---------------------------------------------------------------------- */

/* Finishes a candidate after the records of all its ranks were merged: computes counters that need
 * all of them, such as variances, and sets the record's rank to -1. Leaves names as they are, and
 * records of one rank if the job has several. nprocs: number of ranks of the job. Returns 0, or -1
 * if out of memory. */
int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs);
/* Sorts candidates for the streams of the log: by section, with shared records last, then in the
 * order of their creation in this rank, because records from the same time are similar and compress
 * better. Candidates of other ranks follow, by id. Returns 0, or -1 if out of memory. */
int candidates_sort_for_log(struct arena *arena, struct candidate **items, size_t n);
/* Frees the memory of candidates that were removed from the set, by moving the others to a new
 * arena, which invalidates pointers to them. Returns 0, or -1 if out of memory; then the set must
 * not be used any more. */
int candidates_compact(struct candidates *set);

/* candidate_wire_max returns the largest possible number of bytes of an encoded candidate.
 * candidate_encode writes the candidate to `out`, which has that many bytes, without its zero
 * words, and returns the number of bytes. candidates_merge decodes them. */
size_t candidate_wire_max(const struct candidate *candidate);
size_t candidate_encode(const struct candidate *candidate, char *out);

#endif
