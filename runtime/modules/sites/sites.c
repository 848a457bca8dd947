/* Counts calls in the record of their call site: numbers, bytes, times, offsets and the gaps
 * between calls (sites.h). */
#include "sites.h"

#include "../../counting/size-bins.h"
#include "../../door/door.h"
#include "../../stacks/script/script-frames.h"
#include "records.h"
#include "sites-state.h"

uint32_t sites_on;
SELDOM struct sites_state sites_state;
__thread struct site_thread site_thread;

static_assert(SITES_OTHERS == SITES_OPENS + SITE_OTHER, "order");
static_assert(SITES_F_OTHER_TIME == SITES_F_OPEN_TIME + SITE_OTHER, "order");
static_assert(SITES_BYTES_WRITTEN == SITES_BYTES_READ + 1, "pairs");
static_assert(SITES_SIZE_WRITE_0_100 == SITES_SIZE_READ_0_100 + 10, "pairs");
static_assert(SITES_GAPS_LONG == SITES_GAPS_SHORT + 2, "order");
static_assert(SITES_F_GAP_LONG_TIME == SITES_F_GAP_SHORT_TIME + 2, "order");

int sites_prepare(void) {
  struct object own;
  /* Not in a static program, where the runtime's own frames cannot be distinguished from the
   * program's. */
  if (!sites_are_asked() || !module_is_on(DARSHAN_MOD_SITES) ||
      object_of((uintptr_t)sites_prepare, &own) < 0 || own.path[0] == '\0')
    return 0;
  segments_prepare(&sites_state.parts, sizeof(struct site_part), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_SITES, &sites_state.parts);
  python_look();
  if (!python_is_here()) script_look();
  sites_watch_forks();
  sites_on = 1;
  return 0;
}

void sites_forked(void) {
  if (!sites_on) return;
  segments_clear(&sites_state.parts);
  site_objects_forked();
  sites_state.sites = sites_state.stacks = sites_state.ends = 0;
  sites_state.unknown = NULL;
  site_thread.last = NULL;
  sites_quick_forked();
  for (int i = 0; i < SITE_HEADS; i++)
    sites_state.head[i] = NULL;
}

/* Counts the gap between this thread's last call and the current one, of `ticks` ticks, by its
 * length: below 100 us, below 10 ms, or longer. tick: seconds per tick. */
static void count_gap(struct darshan_sites_record *record, uint64_t ticks, double tick) {
  static const double medium = 100e-6, longer = 10e-3; /* seconds */
  double seconds = (double)(int64_t)ticks * tick;
  int length = (seconds >= medium) + (seconds >= longer);
  record->counters[SITES_GAPS_SHORT + length]++;
  record->fcounters[SITES_F_GAP_SHORT_TIME + length] += seconds;
}

/* Counts where a POSIX transfer of `bytes` bytes began, compared with the last transfer of the
 * site: in another file, or in the same file where the last one ended, where it began, elsewhere
 * before its end, or behind its end. counters: of the call site's record. */
static void count_place(struct site_part *part, int64_t *counters, const struct site_call *call,
                        int64_t bytes) {
  int counter = SITES_FORWARD;
  if (call->file != part->file)
    counter = SITES_FILE_SWITCHES;
  else if (call->offset == part->end)
    counter = SITES_CONSECUTIVE;
  else if (call->offset == part->start)
    counter = SITES_REPEATED;
  else if (call->offset < part->end)
    counter = SITES_BACKWARD;
  counters[counter]++;
  part->file = call->file;
  part->start = call->offset;
  part->end = call->offset + bytes;
}

static inline void count_bytes(struct site_part *part, int64_t *counters,
                               const struct site_call *call) {
  unsigned writes = call->kind - SITE_READ;
  if (writes > 1 && (call->bytes[0] | call->bytes[1]) == 0) return;
  counters[SITES_BYTES_READ] += call->bytes[0];
  counters[SITES_BYTES_WRITTEN] += call->bytes[1];
  if (writes > 1) return;
  int64_t bytes = call->bytes[writes];
  counters[SITES_SIZE_READ_0_100 + 10 * writes + (unsigned)size_bin(bytes)]++;
  if (call->file && call->offset >= 0) count_place(part, counters, call, bytes);
}

/* Adds the time of the call, without its overlap with earlier calls of this thread, counts the gap
 * before the call, and updates the first, last and longest call. */
static inline void count_times(struct site_part *part, double *times,
                               const struct site_call *call) {
  const struct darshan_clock *clock = &darshan_hot.clock;
  uint64_t last = site_thread.last_end, from = call->t1, spent = call->t2 - call->t1;
  struct clock_line line = clock_line(clock);
  ticks_passed(call->t2);
  if (from > last) {
    uint64_t gap = from - last, quick = site_thread.untimed;
    if (last != 0) count_gap(part->record, gap > quick ? gap - quick : 0, line.seconds_per_tick);
    site_thread.untimed = 0;
  } else {
    from = last < call->t2 ? last : call->t2;
  }
  if (call->t2 > last) site_thread.last_end = call->t2;
  times[SITES_F_OPEN_TIME + call->kind] +=
      (double)(int64_t)(call->t2 - from) * line.seconds_per_tick;
  if (UNLIKELY(spent > part->longest)) {
    part->longest = spent;
    times[SITES_F_LONGEST] = (double)(int64_t)spent * line.seconds_per_tick;
  }
  if (UNLIKELY(part->first - 1 >= call->t1)) { /* 0: no call yet */
    part->first = call->t1;
    times[SITES_F_START_TIMESTAMP] = clock_seconds_by(line, call->t1);
  }
  double end = clock_seconds_by(line, call->t2);
  if (end > times[SITES_F_END_TIMESTAMP]) times[SITES_F_END_TIMESTAMP] = end;
}

/* Returns 1 if this is another event of this thread's last call, which was counted already: it has
 * the same kind, begin and end. A failed access has two events, and fflush(NULL) one per stream.
 * Otherwise returns 0, as for all reads and writes. */
static inline int is_again(const struct site_call *call) {
  struct site_thread *thread = &site_thread;
  if (LIKELY(call->kind == SITE_READ || call->kind == SITE_WRITE)) return 0;
  int again =
      call->t1 == thread->last_t1 && call->t2 == thread->last_t2 && call->kind == thread->last_kind;
  thread->last_t1 = call->t1;
  thread->last_t2 = call->t2;
  thread->last_kind = call->kind;
  return again;
}

/* Counts the call in the record of its call site, whose lock it takes. Not inlined, so that its
 * frame is not on the stack during a walk. */
static __attribute__((noinline)) void count_call(const struct site_call *call,
                                                 struct site_part *part) {
  if (UNLIKELY(!spin_lock(SPIN_RECORD, &part->lock))) return;
  struct darshan_sites_record *record = part->record;
  int is_new = !is_again(call);
  record->counters[SITES_OPENS + call->kind] += is_new;
  count_bytes(part, record->counters, call);
  count_times(part, record->fcounters, call);
  if (call->id) site_count_file(part, call->id, is_new, call->bytes[0] + call->bytes[1]);
  spin_unlock(&part->lock);
  if (LIKELY(!site_thread.walked)) return;
  site_thread.walked = 0;
  site_thread.last_end = ticks_now(); /* the runtime's own time is not part of the next gap */
}

__attribute__((noinline)) void sites_count_inside(const struct site_call *call) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uintptr_t returns = (uintptr_t)__builtin_return_address(0);
  site_thread.now = call->t2;
  site_thread.frame = frame;
  struct site_part *part = site_of_last_stack(frame);
  if (UNLIKELY(!part)) {
    int has_lines = python_is_here() || script_is_here();
    if (has_lines) part = site_of_words(frame, returns);
    if (!part && has_lines && site_has_more_lines())
      part = site_of_python_stack(frame, returns);
    else if (!part)
      part = site_of_native_stack(frame, returns);
  }
  if (LIKELY(part != NULL)) count_call(call, part);
}
