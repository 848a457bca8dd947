/* Counts quick calls, small calls of STDIO without a stack walk, for their call sites
 * (site-quick.h). */
#include "site-quick.h"

#include <string.h>

#include "../../counting/size-bins.h"
#include "../../door/door.h"
#include "../../stacks/script/script-frames.h"
#include "records.h"
#include "sites-state.h"

/* A stack of a thread whose small calls may be counted as quick calls. Only this thread changes it,
 * and no other thread reuses its slot. If no slot is free, the calls of a stack are not quick. */
struct site_quick {
  const void *thread; /* identified by the address of its site_thread; NULL: the slot is free */
  struct site_stack *stack;  /* NULL: no stack */
  uintptr_t frame, function; /* those of the struct site_caller */
  uintptr_t distance; /* distance of the caller's frame from the frame of sites_count_inside */
  uint64_t since;     /* end of its last measured call, in ticks */
  uint32_t first;     /* index of the first of the stack's slots that is above the caller's frame */
  uint32_t ticks;     /* duration of a call */
  uint32_t untimed;   /* calls whose time was not added yet */
  enum site_kind kind;
};

/* The slots for stacks of one caller (WAYS) and the number of such sets. A caller may have several
 * stacks, because one statement may be reached by several. */
enum { WAYS = 4, SETS = 64 };
SELDOM static struct site_quick places[SETS][WAYS];
static int is_used;

/* Returns the slots, WAYS of them, in which stacks of this caller in this thread may be. */
static inline struct site_quick *set_of(const struct site_caller *caller) {
  uint64_t key = caller->returns ^ caller->frame << 20 ^ (uintptr_t)&site_thread >> 4;
  return places[key * 0x9e3779b97f4a7c15u >> 58];
}

void sites_quick_forked(void) {
  if (is_used) memset(places, 0, sizeof(places));
  is_used = 0;
}

/* Returns 1 if the caller's running stack is the stored one: all return addresses above the
 * wrapper's frame are the same. Otherwise returns 0. They are on the thread's own stack, at the
 * same addresses as when the stack was stored. */
static inline int is_stack_of(const struct site_quick *quick, const struct site_caller *caller) {
  const struct site_stack *stack = quick->stack;
  if (!stack || quick->thread != &site_thread || quick->frame != caller->frame ||
      quick->function != caller->function ||
      stack->forgotten != __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE))
    return 0;
  uintptr_t frame = caller->frame - quick->distance;
  const struct site_slot *slot = stack->slot + quick->first;
  while (*(const uintptr_t *)(frame + slot->offset) == slot->address)
    slot++;
  return slot == stack->slot + stack->count;
}

struct site_quick *sites_quick(const struct site_caller *caller) {
  if (UNLIKELY(site_thread.last_end == 0)) return NULL; /* no call before, so no gap to count */
  struct site_quick *set = set_of(caller);
  for (unsigned way = 0; way < WAYS; way++)
    if (is_stack_of(&set[way], caller)) return &set[way];
  return NULL;
}

void sites_count_quick(struct site_quick *quick, enum site_kind kind, uint64_t id, int64_t bytes) {
  struct site_part *part = quick->stack->part;
  int64_t *counters = part->record->counters;
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
  if (ticks == 0 || !record_lock(&quick->stack->part->lock)) return;
  if (ticks > passed) ticks = passed;
  quick->stack->part->record->fcounters[SITES_F_OPEN_TIME + quick->kind] +=
      (double)ticks * clock_tick(&darshan_hot.clock);
  record_unlock(&quick->stack->part->lock);
}

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
  struct site_quick *set = set_of(caller), *oldest = NULL;
  __atomic_store_n(&is_used, 1, __ATOMIC_RELAXED);
  for (unsigned way = 0; way < WAYS; way++) {
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
  quick->stack = NULL;
  COMPILER_FENCE();
  quick->frame = caller->frame;
  quick->function = caller->function;
  quick->distance = distance;
  quick->first = first;
  quick->kind = kind;
  quick->since = t2;
  quick->ticks = ticks;
  COMPILER_FENCE();
  quick->stack = last;
}
