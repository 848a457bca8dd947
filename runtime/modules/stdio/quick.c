/* Counts small calls that the buffer of a stream serves; quick.h explains them. */
#include "quick.h"

#include "../../intercept/loader/libc-direct.h"
#include "../../intercept/loader/loader.h"
#include "../sites/site-quick-count.h"
#include "formats/wide.h"
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
  double seconds = (double)stdio_untimed(quick) * quick->ticks * clock_tick(&darshan_hot.clock);
  quick->booked = quick->left;
  if (seconds > now - *last) seconds = now - *last;
  if (seconds <= 0) return;
  *last += seconds;
  times[time_counters[kind]] += seconds;
  if (times[end_counters[kind]] < *last) times[end_counters[kind]] = *last;
}

void stdio_quick_settle(struct stdio_stream *stream) {
  if (!(stdio_untimed(&stream->quick[0]) | stdio_untimed(&stream->quick[1])) || !stdio_lock(stream))
    return;
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
  quick->booked = (uint16_t)(stdio_untimed(quick) + quick->calls);
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
  if (watched != WATCHED_BY_SITES) return 0;
  *site = sites_quick(caller);
  STDIO_POKE(quick->site, *site);
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

/* The counters of a kind of calls. */
struct kind {
  enum stdio_operation operation;
  enum site_kind site;
  int calls, bytes, most; /* indices of counters: most: of the highest byte offset */
};
static const struct kind reads = {STDIO_READ, SITE_READ, STDIO_READS, STDIO_BYTES_READ,
                                  STDIO_MAX_BYTE_READ};
static const struct kind writes = {STDIO_WRITE, SITE_WRITE, STDIO_WRITES, STDIO_BYTES_WRITTEN,
                                   STDIO_MAX_BYTE_WRITTEN};

/* Counts bytes, moves the stream's offset, and raises the counter of the highest byte offset. */
static inline ALWAYS_INLINE void moves(struct stdio_stream *stream, const struct kind *kind,
                                       int64_t bytes) {
  int64_t *counters = stream->record->counters;
  counters[kind->bytes] += bytes;
  int64_t offset = stream->offset + bytes;
  STDIO_POKE(stream->offset, offset);
  if (counters[kind->most] < offset - 1) counters[kind->most] = offset - 1;
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

/* Counts a quick call; returns as stdio_quick_read. mark: the pointer of the stream's buffer after
 * the last counted call. forward: bytes by which the call moves that pointer. */
static __attribute__((noinline)) int count(struct stdio_stream *stream, const struct kind *kind,
                                           const char **mark, int64_t bytes, int64_t forward,
                                           const struct site_caller *caller) {
  struct stdio_quick *quick = &stream->quick[kind->operation - STDIO_READ];
  struct site_quick *site;
  int is_read = kind->operation == STDIO_READ;
  const char *at = is_read ? stream_read_at(stream->file) : stream_write_at(stream->file);
  int64_t inlined = at - STDIO_PEEK(*mark);
  if (UNLIKELY(inlined) && !can_count_inlined(stream, inlined)) return 0;
  if (UNLIKELY(is_read && stream->odd) && (bytes > 1 || !forward)) return 0;
  if (!takes(stream, quick, caller, &site) || !lock(stream)) return 0;
  int64_t *counters = stream->record->counters;
  int is_new = !is_read || stream->odd == 0;
  STDIO_POKE(*mark, at + forward); /* first, as in stdio_read */
  counters[kind->calls]++;
  if (LIKELY(is_new))
    moves(stream, kind, bytes + inlined);
  else
    stream->odd--;
  quick->left--;
  if (site) sites_count_quick(site, kind->site, stream->record->base.id, is_new ? bytes : 0);
  if (UNLIKELY(inlined)) note_inlined(stream, &counters[kind->calls]);
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

/* Returns the state of a recorded stream, if it is the only one of a descriptor in darshan_hot.fds;
 * otherwise NULL. */
static inline ALWAYS_INLINE struct stdio_stream *near_stream(FILE *file) {
  if (UNLIKELY(!file)) return NULL;
  uint32_t fd = (uint32_t)stream_fd(file);
  if (UNLIKELY(fd >= darshan_hot.fd_limit)) return NULL;
  struct stdio_stream *stream = __atomic_load_n(&darshan_hot.fds[fd].stream, __ATOMIC_ACQUIRE);
  if (UNLIKELY((uintptr_t)stream <= (uintptr_t)FD_FOLDER || stream->file != file)) return NULL;
  return stream;
}

/* Returns the call site of the call if sites_quick_add can count it, otherwise NULL. */
static inline ALWAYS_INLINE struct site_quick *site_of(struct stdio_stream *stream,
                                                       struct stdio_quick *quick, uintptr_t frame,
                                                       uintptr_t returns, uintptr_t function) {
  struct site_quick *site = STDIO_PEEK(quick->site);
  if (UNLIKELY(!site || site->frame != frame || site->returns != returns)) {
    site = sites_quick_set(frame, returns);
    if (site->thread != &site_thread) return NULL;
    STDIO_POKE(quick->site, site);
  }
  if (UNLIKELY(!sites_quick_is(site, frame, function))) return NULL;
  return LIKELY(sites_quick_has_file(site, stream->record->base.id)) ? site : NULL;
}

/* Counts a call of at most SITES_QUICK_BYTES in the most frequent case (stdio_fast_get). mark: the
 * pointer of the stream's buffer after the last counted call; at: that pointer now. forward: as in
 * `count`. */
static inline ALWAYS_INLINE int fast(struct stdio_stream *stream, const struct kind *kind,
                                     const char **mark, const char *at, int64_t bytes,
                                     int64_t forward, uintptr_t frame, uintptr_t returns,
                                     uintptr_t function) {
  struct stdio_quick *quick = &stream->quick[kind->operation - STDIO_READ];
  uint32_t watched = stream->aux->watched;
  struct site_quick *site = NULL;
  if (UNLIKELY(at != STDIO_PEEK(*mark) || (kind->operation == STDIO_READ && stream->odd) ||
               quick->left == 0 || !*(const volatile char *)has_one_thread))
    return 0;
  if (watched &&
      (watched != WATCHED_BY_SITES || !(site = site_of(stream, quick, frame, returns, function))))
    return 0;
  STDIO_POKE(*mark, at + forward);
  stream->record->counters[kind->calls]++;
  moves(stream, kind, bytes);
  quick->left--;
  if (site) sites_quick_add(site, kind->site, bytes);
  return 1;
}

/* Counts a quick call of any size; otherwise like `count`, with its arguments. */
static inline ALWAYS_INLINE int small(struct stdio_stream *stream, const struct kind *kind,
                                      const char **mark, const char *at, int64_t bytes,
                                      int64_t forward, const struct site_caller *caller) {
  if (LIKELY(bytes <= SITES_QUICK_BYTES) &&
      LIKELY(fast(stream, kind, mark, at, bytes, forward, caller->frame, caller->returns,
                  caller->function)))
    return 1;
  return count(stream, kind, mark, bytes, forward, caller);
}

int stdio_quick_read(struct stdio_stream *stream, int64_t bytes, const struct site_caller *caller) {
  const char *at = stream_read_at(stream->file);
  return small(stream, &reads, &stream->read_mark, at, bytes, bytes, caller);
}
int stdio_quick_write(struct stdio_stream *stream, int64_t bytes,
                      const struct site_caller *caller) {
  const char *at = stream_write_at(stream->file);
  return small(stream, &writes, &stream->write_mark, at, bytes, bytes, caller);
}
int stdio_quick_read_wide(struct stdio_stream *stream, int64_t bytes,
                          const struct site_caller *caller) {
  return count(stream, &reads, &stream->read_mark, bytes, 0, caller);
}
int stdio_quick_write_wide(struct stdio_stream *stream, int64_t bytes,
                           const struct site_caller *caller) {
  return count(stream, &writes, &stream->write_mark, bytes, 0, caller);
}

int stdio_fast_get(FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function) {
  struct stdio_stream *stream = near_stream(file);
  if (UNLIKELY(!stream || !stdio_serves_read(stream, 1) || !stdio_is_quick(stream))) return 0;
  return fast(stream, &reads, &stream->read_mark, stream_read_at(file), 1, 1, frame, returns,
              function);
}

int stdio_fast_put(int c, FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function) {
  struct stdio_stream *stream = near_stream(file);
  (void)c;
  if (UNLIKELY(!stream || !stdio_serves_write(stream, 1) || !stdio_is_quick(stream))) return 0;
  return fast(stream, &writes, &stream->write_mark, stream_write_at(file), 1, 1, frame, returns,
              function);
}

int stdio_fast_get_wide(FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function) {
  struct stdio_stream *stream = near_stream(file);
  if (UNLIKELY(!stream || !stdio_is_quick(stream))) return 0;
  int64_t bytes = stdio_next_wide(stream);
  if (UNLIKELY(bytes == 0 || !stdio_serves_read_wide(stream, bytes))) return 0;
  return fast(stream, &reads, &stream->read_mark, stream_read_at(file), bytes, 0, frame, returns,
              function);
}

int stdio_fast_put_wide(wchar_t c, FILE *file, uintptr_t frame, uintptr_t returns,
                        uintptr_t function) {
  struct stdio_stream *stream = near_stream(file);
  if (UNLIKELY(!stream || !stdio_is_quick(stream))) return 0;
  int64_t bytes = stdio_known_wide(stream, c);
  if (UNLIKELY(bytes == 0 || !stdio_serves_write_wide(stream, bytes))) return 0;
  return fast(stream, &writes, &stream->write_mark, stream_write_at(file), bytes, 0, frame, returns,
              function);
}
