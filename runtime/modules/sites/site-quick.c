/* Counts quick calls, small calls of STDIO without a stack walk, for their call sites
 * (site-quick.h). */
#include "site-quick-count.h"

#include <string.h>

#include "../../counting/size-bins.h"
#include "../../door/door.h"
#include "../../stacks/script/script-frames.h"

SELDOM struct site_quick sites_quick_places[SITES_QUICK_SETS][SITES_QUICK_WAYS];
static int is_used;

void sites_quick_forked(void) {
  if (is_used) memset(sites_quick_places, 0, sizeof(sites_quick_places));
  is_used = 0;
}

struct site_quick *sites_quick(const struct site_caller *caller) {
  if (UNLIKELY(site_thread.last_end == 0)) return NULL; /* no call before, so no gap to count */
  struct site_quick *set = sites_quick_set(caller->frame, caller->returns);
  for (unsigned way = 0; way < SITES_QUICK_WAYS; way++)
    if (set[way].thread == &site_thread &&
        sites_quick_is(&set[way], caller->frame, caller->function))
      return &set[way];
  return NULL;
}

void sites_count_quick(struct site_quick *quick, enum site_kind kind, uint64_t id, int64_t bytes) {
  struct site_part *part = quick->part;
  int64_t *counters = quick->counters;
  unsigned writes = kind - SITE_READ;
  int is_locked = (darshan_guard & GUARD_BUSY) != 0;
  if (UNLIKELY(is_locked) && !spin_lock(SPIN_TABLE, &part->lock)) return;
  counters[SITES_OPENS + kind]++;
  counters[SITES_BYTES_READ + writes] += bytes;
  counters[SITES_SIZE_READ_0_100 + 10 * writes + (unsigned)size_bin(bytes)]++;
  counters[SITES_GAPS_SHORT]++;
  site_count_file(part, id, 1, bytes);
  if (UNLIKELY(is_locked)) spin_unlock(&part->lock);
  quick->untimed++;
  site_thread.untimed += quick->ticks;
}

/* Adds to the call site's record the estimated time of this stack's quick calls since its last
 * measured call. now: begin of the next measured call, in ticks. */
static void book(struct site_quick *quick, uint64_t now) {
  uint64_t ticks = (uint64_t)quick->untimed * quick->ticks, passed = now - quick->since;
  quick->untimed = 0;
  if (ticks == 0 || !record_lock(&quick->part->lock)) return;
  if (ticks > passed) ticks = passed;
  quick->part->record->fcounters[SITES_F_OPEN_TIME + quick->kind] +=
      (double)ticks * clock_tick(&darshan_hot.clock);
  record_unlock(&quick->part->lock);
}

static_assert(SITES_QUICK_SETS == 1 << (64 - 58), "the shift of sites_quick_set");

/* Returns 1 if the thread's last known stack is that of the call that ended at t2, otherwise 0. */
static int has_last_stack(uint64_t t2) {
  const struct site_thread *thread = &site_thread;
  const struct site_stack *last = thread->last;
  return last && thread->now == t2 && !python_is_here() && !script_is_here() && !last->lines &&
         thread->frame - thread->stack.start < thread->stack.end - thread->stack.start;
}

/* Returns the slot for a known stack of this thread, from the set of slots of this caller: its
 * existing slot, otherwise a free slot, which it takes, otherwise the slot of this thread whose
 * last measured call is the oldest; NULL if other threads have all slots of the set. */
static struct site_quick *place_for(const struct site_caller *caller,
                                    const struct site_stack *stack) {
  struct site_quick *set = sites_quick_set(caller->frame, caller->returns), *oldest = NULL;
  __atomic_store_n(&is_used, 1, __ATOMIC_RELAXED);
  for (unsigned way = 0; way < SITES_QUICK_WAYS; way++) {
    struct site_quick *quick = &set[way];
    const void *thread = NULL;
    if (__atomic_compare_exchange_n(&quick->thread, &thread, &site_thread, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return quick; /* a free slot; all slots after it are free, too */
    if (thread != &site_thread) continue;
    if (quick->stack == stack) return quick;
    if (!oldest || quick->since < oldest->since) oldest = quick;
  }
  return oldest;
}

void sites_quick_begin(const struct site_caller *caller, enum site_kind kind, uint64_t t1,
                       uint64_t t2, uint32_t ticks) {
  struct site_stack *last = site_thread.last;
  if (!has_last_stack(t2)) return;
  struct site_quick *quick = place_for(caller, last);
  if (!quick) return;
  if (quick->untimed) book(quick, t1);
  uintptr_t distance = caller->frame - site_thread.frame;
  uint32_t first = 0;
  while (first < last->count && last->slot[first].offset < distance)
    first++;
  quick->frame = 0; /* invalid, for a signal handler that interrupts the following */
  COMPILER_FENCE();
  quick->returns = caller->returns;
  quick->function = caller->function;
  quick->inside = site_thread.frame;
  quick->from = last->slot + first;
  quick->end = last->slot + last->count;
  quick->part = last->part;
  quick->counters = last->part->record->counters;
  quick->forgotten = last->forgotten;
  quick->kind = kind;
  quick->since = t2;
  quick->ticks = ticks;
  quick->stack = last;
  COMPILER_FENCE();
  quick->frame = caller->frame;
}
