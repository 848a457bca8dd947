/* Quick calls: calls of at most QUICK_BYTES bytes that the buffer of a stream serves. They read or
 * write a character, a line, a text or a few items, and only copy memory.
 *
 * The call itself takes 3 to 20 ns, and two readings of the clock take 15. Therefore only one call
 * in QUICK_CALLS + 1 is measured. The calls in between are counted at once in the record and for
 * their call site, and each is taken to last as long as the last measured call. The counts are
 * exact, and the journal has them at once. The time is an estimate; the sum never exceeds the time
 * that has passed since the last measured call. The times at which the last read and the last write
 * ended are also estimates, at worst QUICK_CALLS calls old.
 *
 * Calls are quick only while measured calls follow each other within some 30 us, so calls with
 * pauses between them are measured individually. The gaps before quick calls count as short gaps.
 * The gap before the next measured call is the time since the last measured call, minus the time of
 * the quick calls.
 *
 * Calls for a wide character are counted in the same way, if libc's buffer of wide characters
 * serves them and it takes little time to compute their bytes in the file.
 *
 * Bytes that inlined macros of <stdio.h> have moved since the last call count as one call more,
 * like those before a measured call (stdio_settle).
 *
 * A call is measured if other modules need its time (HDF5 and other layers, training), if threads
 * share the stream, or if its stack is not that of an earlier measured call
 * (../sites/site-quick.h). */
#ifndef DARSHAN_STDIO_QUICK_H
#define DARSHAN_STDIO_QUICK_H

#include <string.h>

#include "../sites/site-quick.h"
#include "stdio-module.h"

/* QUICK_CALLS + 1 is a prime number, so that the measured call is not always the same call of a
 * loop. */
enum { QUICK_CALLS = 60, QUICK_BYTES = 1024 };

/* Called when the module prepares: finds libc's variable that shows whether the process has only
 * one thread (__libc_single_threaded), so that quick calls need no lock then. Without it they take
 * the record's lock. */
void stdio_quick_prepare(void);
/* Adds the estimated time of the quick calls since the last measured call to the stream's record.
 * kind: STDIO_READ or STDIO_WRITE. now: start of the next measured call, in seconds, which the
 * times do not exceed. The caller has locked the record. */
void stdio_quick_book(struct stdio_stream *stream, enum stdio_operation kind, double now);
/* Like stdio_quick_book, for reads and writes and up to the current time, but locks the record
 * itself. Called when a stream is closed or recording ends. */
void stdio_quick_settle(struct stdio_stream *stream);
/* Called after a measured call that the buffer has served. Decides how many of the next calls of
 * this kind may be quick, and stores the call's duration, which is assumed for them. t1, t2: ticks
 * before and after the call. caller: of the wrapper. */
void stdio_quick_begin(struct stdio_stream *stream, enum stdio_operation kind,
                       const struct site_caller *caller, uint64_t t1, uint64_t t2);

/* Returns how many quick calls were counted whose time was not added yet. */
static inline unsigned stdio_untimed(const struct stdio_quick *quick) {
  return (uint16_t)(quick->booked - quick->left);
}

/* Count a quick call that is about to move this many bytes; stdio_quick_read_wide and _write_wide
 * count one wide character, which takes this many bytes in the file; stdio_quick_unget counts a
 * byte that is pushed back. Return 1, or 0, without counting, if the call must be measured.
 * stdio_is_quick must be true. */
int stdio_quick_read(struct stdio_stream *stream, int64_t bytes, const struct site_caller *caller);
int stdio_quick_write(struct stdio_stream *stream, int64_t bytes, const struct site_caller *caller);
int stdio_quick_read_wide(struct stdio_stream *stream, int64_t bytes,
                          const struct site_caller *caller);
int stdio_quick_write_wide(struct stdio_stream *stream, int64_t bytes,
                           const struct site_caller *caller);
int stdio_quick_unget(struct stdio_stream *stream);

/* Count a quick call that is about to read or write one character, in the most frequent case: the
 * process has one thread, no inlined macros have moved bytes and none were pushed back, and the
 * call has the call site of the last call, or that of an earlier call. Return 1, or 0, without
 * counting, if the other functions must decide. They check everything themselves, and call no
 * function. frame, returns, function: those of a struct site_caller (QUICK_CALLER). */
int stdio_fast_get(FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function);
int stdio_fast_put(int c, FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function);
int stdio_fast_get_wide(FILE *file, uintptr_t frame, uintptr_t returns, uintptr_t function);
int stdio_fast_put_wide(wchar_t c, FILE *file, uintptr_t frame, uintptr_t returns,
                        uintptr_t function);

/* Returns 1 if calls on this stream may be quick now: only this thread uses the stream, it has a
 * record, and this thread may update records. Otherwise returns 0. */
static inline ALWAYS_INLINE int stdio_is_quick(const struct stdio_stream *stream) {
  return STDIO_PEEK(stream->owner) == &darshan_guard && !STDIO_PEEK(stream->shared) &&
         STDIO_PEEK(stream->known) && !(stream->odd & STDIO_SCANNING) && darshan_guard == 0 &&
         runtime_phase() == RUNTIME_RECORDING;
}
/* Return 1 if the stream's buffer serves a read or write of this many bytes, at least 1, without a
 * system call, and the buffer was not refilled or flushed since the last counted call. Otherwise
 * return 0. */
static inline ALWAYS_INLINE int stdio_serves_read(const struct stdio_stream *stream,
                                                  int64_t bytes) {
  const FILE *file = stream->file;
  return stream_serves_read(file, bytes) && stream_read_end(file) == STDIO_PEEK(stream->read_end);
}
static inline ALWAYS_INLINE int stdio_serves_write(const struct stdio_stream *stream,
                                                   int64_t bytes) {
  const FILE *file = stream->file;
  return stream_serves_write(file, bytes) &&
         stream_write_base(file) == STDIO_PEEK(stream->write_base);
}
/* The same for a wide character that takes this many bytes in the file: libc has it, or has space
 * for it, in its buffer of wide characters, and did not touch the other buffer since the last
 * counted call. */
static inline int stdio_serves_read_wide(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  (void)bytes;
  return stream_next_wide(file) && stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
         stream_read_at(file) == STDIO_PEEK(stream->read_mark);
}
static inline int stdio_serves_write_wide(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  (void)bytes;
  return stream_serves_wide_write(file) &&
         stream_write_base(file) == STDIO_PEEK(stream->write_base) &&
         stream_write_at(file) == STDIO_PEEK(stream->write_mark);
}
/* Returns 1 if the buffer takes back the character c (ungetc) without a change of buffers, and
 * inlined macros of <stdio.h> have moved no bytes since the last counted call. Otherwise returns 0.
 */
static inline int stdio_serves_unget(const struct stdio_stream *stream, int c) {
  const FILE *file = stream->file;
  return stream_takes_back(file, c) && stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
         stream_read_at(file) == STDIO_PEEK(stream->read_mark);
}

/* Return the bytes of a call if it may be quick, else 0. stdio_few_items: of n items of `size`
 * bytes. stdio_short_text: of a text and `more` bytes behind it. stdio_short_line: of the line that
 * is next in the buffer, which has at most `most` bytes and ends with the byte `end`. */
static inline int64_t stdio_few_items(const struct stdio_stream *stream, size_t size, size_t n) {
  size_t bytes;
  int is_few = !__builtin_mul_overflow(size, n, &bytes) && bytes <= QUICK_BYTES;
  return is_few && !stream_is_wide(stream->file) ? (int64_t)bytes : 0;
}
static inline int64_t stdio_short_text(const struct stdio_stream *stream, const char *text,
                                       size_t more) {
  if (!stdio_is_quick(stream)) return 0;
  size_t bytes = strnlen(text, QUICK_BYTES + 1) + more;
  return bytes <= QUICK_BYTES && !stream_is_wide(stream->file) ? (int64_t)bytes : 0;
}
static inline int64_t stdio_short_line(const struct stdio_stream *stream, int end, int64_t most) {
  const char *at = stream_read_at(stream->file);
  int64_t bytes = stream_read_end(stream->file) - at;
  if (bytes <= 0 || most <= 0 || !stdio_is_quick(stream) || stream_is_wide(stream->file)) return 0;
  if (bytes > QUICK_BYTES) bytes = QUICK_BYTES;
  if (bytes > most) bytes = most;
  const char *found = memchr(at, end, (size_t)bytes);
  if (found) return found - at + 1;
  return bytes == most ? bytes : 0;
}

/* The members of a struct site_caller, and arguments of the functions above, for use in a wrapper:
 * its own frame, its return address, and its name, whose address identifies the wrapper. */
#define QUICK_CALLER                                                                               \
  (uintptr_t) __builtin_frame_address(0), (uintptr_t)__builtin_return_address(0),                  \
      (uintptr_t) __func__

#endif
