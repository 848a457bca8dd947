/* Quick calls: calls of one character that the buffer of a stream serves.
 *
 * The call itself takes 3 ns, and two readings of the clock take several times as long. Therefore
 * only one call in QUICK_CALLS + 1 is measured. The calls in between are counted at once in the
 * record and for their site, and each is taken to last as long as the last measured call. The
 * counts are exact, and the journal has them at once. The time is an estimate; the sum never
 * exceeds the time that has passed since the last measured call. The times at which the last read
 * and the last write ended are also estimates, at worst QUICK_CALLS calls old.
 *
 * Calls are quick only while measured calls follow each other within some 30 us, so calls with
 * pauses between them are measured individually. The gaps before quick calls count as short gaps.
 * The gap before the next measured call is the time since the last measured call, minus the time of
 * the quick calls.
 *
 * A call is measured if other modules need its time (HDF5 and other layers, training), if threads
 * share the stream, or if its stack is not that of an earlier measured call
 * (../sites/site-quick.h). */
#ifndef DARSHAN_STDIO_QUICK_H
#define DARSHAN_STDIO_QUICK_H

#include "../sites/site-quick.h"
#include "stdio-module.h"

/* Number of quick calls between two measured ones. QUICK_CALLS + 1 is a prime number, so that it is
 * not always the same call of a loop that is measured. */
enum { QUICK_CALLS = 60 };

/* Determines how to check whether the process has only one thread. */
void stdio_quick_prepare(void);
/* Adds the time of the quick calls since the last measured call. now: start of the next measured
 * call, in seconds. The caller has locked the record. */
void stdio_quick_book(struct stdio_stream *stream, enum stdio_operation kind, double now);
/* Adds the estimated times of the quick reads and writes to the stream's record. stdio_quick_book
 * adds them for one kind of call, under the record's lock; the caller of stdio_quick_settle holds
 * no lock. */
void stdio_quick_settle(struct stdio_stream *stream);
/* Called after a measured call that the buffer has served. Decides how many of the next calls may
 * be quick. */
void stdio_quick_begin(struct stdio_stream *stream, enum stdio_operation kind,
                       const struct site_caller *caller, uint64_t t1, uint64_t t2);

/* Count a call that is about to happen as a quick call. Return 1, or 0 if the call must be
 * measured. */
int stdio_quick_read(struct stdio_stream *stream, const struct site_caller *caller);
int stdio_quick_write(struct stdio_stream *stream, const struct site_caller *caller);
int stdio_quick_unget(struct stdio_stream *stream);

/* Returns 1 if calls of this kind may be quick now: only this thread uses the stream, and the
 * process records. Otherwise returns 0. */
static inline ALWAYS_INLINE int stdio_is_quick(const struct stdio_stream *stream) {
  return STDIO_PEEK(stream->owner) == &darshan_guard && !STDIO_PEEK(stream->shared) &&
         STDIO_PEEK(stream->known) && !(stream->odd & STDIO_SCANNING) && darshan_guard == 0 &&
         runtime_phase() == RUNTIME_RECORDING;
}
/* Return 1 if the buffer serves the next call (a read, a write or ungetc of the character) and
 * inlined macros have moved no bytes since the last call. Otherwise they return 0. */
static inline ALWAYS_INLINE int stdio_serves_read(const struct stdio_stream *stream) {
  const FILE *file = stream->file;
  return stream_serves_read(file) && stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
         stream_read_at(file) == STDIO_PEEK(stream->read_mark);
}
static inline ALWAYS_INLINE int stdio_serves_write(const struct stdio_stream *stream) {
  const FILE *file = stream->file;
  return stream_serves_write(file) && stream_write_base(file) == STDIO_PEEK(stream->write_base) &&
         stream_write_at(file) == STDIO_PEEK(stream->write_mark);
}
static inline int stdio_serves_unget(const struct stdio_stream *stream, int c) {
  const FILE *file = stream->file;
  return stream_takes_back(file, c) && stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
         stream_read_at(file) == STDIO_PEEK(stream->read_mark);
}

/* The caller of the wrapper in which the macro is used. */
#define QUICK_CALLER                                                                               \
  &(struct site_caller) {                                                                          \
    (uintptr_t) __builtin_frame_address(0), (uintptr_t)__builtin_return_address(0),                \
        (uintptr_t) __func__                                                                       \
  }

#endif
