/* The fast path of quick calls (site-quick.h), inlined into the function of STDIO that counts them:
 * a call of the same stack, on the same file, as calls before it. */
#ifndef DARSHAN_SITE_QUICK_COUNT_H
#define DARSHAN_SITE_QUICK_COUNT_H

#include "modules/sites/records.h"
#include "site-quick.h"
#include "sites-state.h"

/* A stack of a thread whose small calls may be counted as quick calls. Only this thread changes it,
 * and no other thread reuses its slot. If no slot is free, the calls of a stack are not quick. The
 * first members, which each call reads, have a cache line. */
struct site_quick {
  uintptr_t frame, returns, function; /* those of the struct site_caller; frame 0: no stack */
  uintptr_t inside;                   /* the frame of sites_count_inside under this stack */
  const struct site_slot *from, *end; /* the stack's slots above the caller's frame */
  struct site_part *part;
  int64_t *counters;  /* of the call site's record */
  uint32_t forgotten; /* value of sites_state.forgotten when the stack was added */
  uint32_t untimed;   /* calls whose time was not added yet */
  uint32_t ticks;     /* duration of a call */
  enum site_kind kind;
  uint64_t since;                 /* end of its last measured call, in ticks */
  const void *thread;             /* address of its site_thread; NULL: the slot is free */
  const struct site_stack *stack; /* NULL: no stack */
} __attribute__((aligned(64)));

/* SITES_QUICK_BYTES: the most bytes of a call in the first class of sizes. The slots for stacks of
 * one caller (SITES_QUICK_WAYS), and the number of such sets. A caller may have several stacks,
 * because one statement may be reached by several. */
enum { SITES_QUICK_BYTES = 100, SITES_QUICK_WAYS = 4, SITES_QUICK_SETS = 64 };
extern struct site_quick sites_quick_places[SITES_QUICK_SETS][SITES_QUICK_WAYS]
    __attribute__((visibility("hidden")));

/* Returns the slots, SITES_QUICK_WAYS of them, in which stacks of a caller may be. Callers of
 * different threads have different frames. */
static inline ALWAYS_INLINE struct site_quick *sites_quick_set(uintptr_t frame, uintptr_t returns) {
  uint64_t key = returns ^ frame << 20;
  return sites_quick_places[key * 0x9e3779b97f4a7c15u >> 58];
}

/* Returns 1 if the caller's running stack is the stored one: all return addresses above the
 * wrapper's frame are the same. Otherwise returns 0. They are on the thread's own stack, at the
 * same addresses as when the stack was stored. The caller ensures that this thread has stored the
 * stack. */
static inline ALWAYS_INLINE int sites_quick_is(const struct site_quick *quick, uintptr_t frame,
                                               uintptr_t function) {
  if (quick->frame != frame || quick->function != function ||
      quick->forgotten != __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE))
    return 0;
  const struct site_slot *slot = quick->from;
  uintptr_t inside = quick->inside;
  while (*(const uintptr_t *)(inside + slot->offset) == slot->address)
    slot++;
  return slot == quick->end; /* the slot there never matches */
}

/* Returns 1 if sites_quick_add can count a call on the file with this record: it is the file of the
 * call site's last call, and the first in both lists of files. Otherwise returns 0. */
static inline ALWAYS_INLINE int sites_quick_has_file(const struct site_quick *quick, uint64_t id) {
  const struct site_last_file *last = &quick->part->last;
  const int64_t *counters = quick->counters;
  return last->id == id && (last->slot[0] | last->slot[1]) == 0 &&
         (uint64_t)counters[SITES_FILE1_BY_CALLS] == id &&
         (uint64_t)counters[SITES_FILE1_BY_BYTES] == id;
}

/* Counts a quick call like sites_count_quick. bytes: at most SITES_QUICK_BYTES.
 * sites_quick_has_file must be true, and the process must have only one thread, so that each number
 * can change without a lock, by one instruction. */
static inline ALWAYS_INLINE void sites_quick_add(struct site_quick *quick, enum site_kind kind,
                                                 int64_t bytes) {
  int64_t *counters = quick->counters;
  unsigned writes = kind - SITE_READ;
  counters[SITES_OPENS + kind]++;
  counters[SITES_BYTES_READ + writes] += bytes;
  counters[SITES_SIZE_READ_0_100 + 10 * writes]++;
  counters[SITES_GAPS_SHORT]++;
  counters[SITES_FILE1_CALLS]++;
  counters[SITES_FILE1_BYTES] += bytes;
  quick->untimed++;
  site_thread.untimed += quick->ticks;
}

#endif
