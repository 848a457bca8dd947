/* Counts small calls that the buffer of a stream serves; quick.h explains them. */
#include "quick.h"

#include "../../intercept/loader/libc-direct.h"
#include "../../intercept/loader/loader.h"
#include "modules/stdio/records.h"

#include <libc-loader.h>

static const char several;
/* Points to libc's variable that is not 0 while the process has one thread; a program may have a
 * copy of it. If there is no such variable, points to a constant 0. */
static const char *has_one_thread = &several;

void stdio_quick_prepare(void) {
#if defined(__x86_64__)
  /* Only on this architecture: elsewhere an increment is several instructions, between which a
   * signal handler may count a call. */
  static const char name[] = "__libc_single_threaded";
  struct loaded_object libc;
  if (!loader_is_there() || loader_object_of(stderr, &libc) < 0) return;
  const char *found = straight_symbol(libc_first_object(), name);
  if (!found) found = straight_symbol(libc.map, name);
  if (found) has_one_thread = found;
#endif
}

/* Time between two measured calls, in ticks, from which on fewer quick calls follow. The time stays
 * below 100 us even with twice as many calls, so that all gaps have the same length class
 * (SITES_GAPS_SHORT). */
enum { LONGEST = CLOCK_SHORT / 4 };

static const int time_counters[] = {STDIO_F_META_TIME, STDIO_F_READ_TIME, STDIO_F_WRITE_TIME};
static const int end_counters[] = {0, STDIO_F_READ_END_TIMESTAMP, STDIO_F_WRITE_END_TIMESTAMP};

void stdio_quick_book(struct stdio_stream *stream, enum stdio_operation kind, double now) {
  struct stdio_quick *quick = &stream->quick[kind - STDIO_READ];
  double *last = &stream->aux->last_end[kind], *times = stream->record->fcounters;
  double seconds = (double)quick->untimed * quick->ticks * clock_tick(&darshan_hot.clock);
  quick->untimed = 0;
  if (seconds > now - *last) seconds = now - *last;
  if (seconds <= 0) return;
  *last += seconds;
  times[time_counters[kind]] += seconds;
  if (times[end_counters[kind]] < *last) times[end_counters[kind]] = *last;
}

void stdio_quick_settle(struct stdio_stream *stream) {
  if (!(stream->quick[0].untimed | stream->quick[1].untimed) || !stdio_lock(stream)) return;
  uint64_t now = ticks_now();
  double seconds = ticks_span(now, now).start;
  stdio_quick_book(stream, STDIO_READ, seconds);
  stdio_quick_book(stream, STDIO_WRITE, seconds);
  stdio_unlock(stream);
}

void stdio_quick_begin(struct stdio_stream *stream, enum stdio_operation kind,
                       const struct site_caller *caller, uint64_t t1, uint64_t t2) {
  struct stdio_quick *quick = &stream->quick[kind - STDIO_READ];
  if (!stdio_is_quick(stream)) return;
  uint64_t before = ticks_now(), reading = ticks_after(before) - before, spent = t2 - t1;
  uint64_t passed = t1 - quick->since;
  quick->since = t2;
  if (passed >= LONGEST)
    quick->calls = 0;
  else if (passed < LONGEST / 2)
    quick->calls = quick->calls < QUICK_CALLS / 2 ? 2 * quick->calls + 1 : QUICK_CALLS;
  quick->left = quick->calls;
  spent = spent > reading ? spent - reading : 0;
  quick->ticks = spent < CLOCK_SHORT ? (uint32_t)spent : CLOCK_SHORT;
  if (stream->aux && stream->aux->watched == WATCHED_BY_SITES)
    sites_quick_begin(caller, kind == STDIO_READ ? SITE_READ : SITE_WRITE, t1, t2, quick->ticks);
}

/* Returns 1 if the next call of this kind may be quick, and stores its call site, or NULL if call
 * sites are not counted. Otherwise returns 0. */
static inline int takes(struct stdio_stream *stream, struct stdio_quick *quick,
                        const struct site_caller *caller, struct site_quick **site) {
  uint32_t watched = stream->aux->watched;
  if (quick->left == 0) return 0;
  *site = NULL;
  if (LIKELY(watched == 0)) return 1;
  if (watched != WATCHED_BY_SITES || !caller) return 0;
  *site = sites_quick(caller);
  return *site != NULL;
}

/* Locks the record, unless the process has one thread: no lock is needed then, because each number
 * changes by one instruction. Returns 1, or 0 if the call must not be counted here. `unlock` ends
 * both. */
static inline int lock(struct stdio_stream *stream) {
  return LIKELY(*(const volatile char *)has_one_thread) || stdio_lock(stream);
}
static inline void unlock(struct stdio_stream *stream) {
  if (UNLIKELY(darshan_guard & GUARD_BUSY)) stdio_unlock(stream);
}

/* Adds bytes to a counter of bytes, moves the stream's offset, and raises *most to the highest byte
 * offset. */
static inline void moves(struct stdio_stream *stream, int64_t *sum, int64_t *most, int64_t bytes) {
  *sum += bytes;
  int64_t offset = stream->offset + bytes;
  STDIO_POKE(stream->offset, offset);
  if (*most < offset - 1) *most = offset - 1;
}

static inline void count_site(const struct stdio_stream *stream, struct site_quick *site,
                              enum site_kind kind, int64_t bytes) {
  if (site) sites_count_quick(site, kind, stream->record->base.id, bytes);
}

/* Returns 1 if `inlined` bytes that inlined macros of <stdio.h> have moved can be counted with a
 * quick call. Returns 0 if the number is below 0, if some of the bytes may have been pushed back
 * before, or if there is no POSIX_EXT record yet that counts such moves. inlined: not 0. */
static inline int can_count_inlined(const struct stdio_stream *stream, int64_t inlined) {
  return inlined > 0 && stream->odd == 0 && stream->aux->ext != 0;
}

static void note_inlined(struct stdio_stream *stream, int64_t *calls) {
  ++*calls;
  posix_ext_inlined(&stream->aux->ext, stream->record->base.id, stream->name, stream->name_length);
}

int stdio_quick_read(struct stdio_stream *stream, int64_t bytes, const struct site_caller *caller) {
  struct stdio_quick *quick = &stream->quick[0];
  struct site_quick *site;
  const char *at = stream_read_at(stream->file);
  int64_t inlined = at - STDIO_PEEK(stream->read_mark);
  if (UNLIKELY(inlined) && !can_count_inlined(stream, inlined)) return 0;
  if (UNLIKELY(stream->odd) && bytes > 1) return 0;
  if (!takes(stream, quick, caller, &site) || !lock(stream)) return 0;
  int64_t *counters = stream->record->counters;
  int is_new = stream->odd == 0;
  STDIO_POKE(stream->read_mark, at + bytes); /* first, as in stdio_read */
  counters[STDIO_READS]++;
  if (LIKELY(is_new))
    moves(stream, &counters[STDIO_BYTES_READ], &counters[STDIO_MAX_BYTE_READ], bytes + inlined);
  else
    stream->odd--;
  quick->left--;
  quick->untimed++;
  count_site(stream, site, SITE_READ, is_new ? bytes : 0);
  if (UNLIKELY(inlined)) note_inlined(stream, &counters[STDIO_READS]);
  unlock(stream);
  return 1;
}

int stdio_quick_write(struct stdio_stream *stream, int64_t bytes,
                      const struct site_caller *caller) {
  struct stdio_quick *quick = &stream->quick[1];
  struct site_quick *site;
  const char *at = stream_write_at(stream->file);
  int64_t inlined = at - STDIO_PEEK(stream->write_mark);
  if (UNLIKELY(inlined) && !can_count_inlined(stream, inlined)) return 0;
  if (!takes(stream, quick, caller, &site) || !lock(stream)) return 0;
  int64_t *counters = stream->record->counters;
  STDIO_POKE(stream->write_mark, at + bytes);
  counters[STDIO_WRITES]++;
  moves(stream, &counters[STDIO_BYTES_WRITTEN], &counters[STDIO_MAX_BYTE_WRITTEN], bytes + inlined);
  quick->left--;
  quick->untimed++;
  count_site(stream, site, SITE_WRITE, bytes);
  if (UNLIKELY(inlined)) note_inlined(stream, &counters[STDIO_WRITES]);
  unlock(stream);
  return 1;
}

int stdio_quick_unget(struct stdio_stream *stream) {
  if ((stream->odd & STDIO_PUSHED_BACK) == STDIO_PUSHED_BACK || !lock(stream)) return 0;
  STDIO_POKE(stream->read_mark, stream_read_at(stream->file) - 1);
  stream->odd++;
  unlock(stream);
  return 1;
}
