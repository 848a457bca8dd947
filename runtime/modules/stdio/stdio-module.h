/* The STDIO module: counts calls on streams, with the bytes that pass through the stream. If a call
 * does not report its bytes (scanf, or an inlined macro of stdio.h), they are computed from the
 * movement of the stream's own pointers, which are public in its FILE. */
#ifndef DARSHAN_STDIO_MODULE_H
#define DARSHAN_STDIO_MODULE_H

#include "../../door/door.h"
#include "../heatmap/heatmap.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "../posix/posix.h"
#include "../sites/sites.h"
#include "modules/stdio/records.h"
#include "stdio-state.h"

#include <libc-stream.h>

/* Access members that other threads read without a lock. */
#define STDIO_PEEK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define STDIO_POKE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

enum stdio_operation { STDIO_META, STDIO_READ, STDIO_WRITE };

/* Functions of streams.c. */

int stdio_prepare(void);
void stdio_forked(void);
void stdio_ended(void);
/* Returns the number of streams that use the overflow record, for the metadata. */
uint64_t stdio_streams_in_overflow(void);
/* Called when recording ends, and before fcloseall: counts, for streams that are still open, the
 * bytes that inlined macros of <stdio.h> moved and the time of quick calls (quick.h); and the bytes
 * of a call in progress that prints and ends the process (stdio_print_may_leave). */
void stdio_finish(void);
/* Stores the name of the newest recorded stream of this descriptor in *name, whose text stays
 * valid. Returns 1, or 0 if there is none, or if it is a standard stream. */
int stdio_name_at(int fd, struct posix_name *name);
/* Stores the name of the file of a recorded stream in *name, whose text stays valid. Returns 1, or
 * 0 if the stream is not recorded or is a standard stream. */
int stdio_stream_name(FILE *stream, struct posix_name *name);
/* stdio_follow records a stream from now on under this name, of which it makes a copy, and returns
 * the stream's state; NULL if the table is full or the process does not record. stdio_materialise
 * gives a stream a record if it has none, or if its descriptor has another file by now. It returns
 * 1, or 0 if the file is not recorded or there is no space. */
struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name);
int stdio_materialise(struct stdio_stream *stream);
/* Returns 1 if the standard stream still has the descriptor that the process inherited, and it is
 * not a regular file; the stream then keeps its name (<STDIN> and so on). Otherwise returns 0. */
int stdio_was_never_a_file(struct stdio_stream *stream);
/* Returns the state of a stream among those of its descriptor, from `first` on; NULL if none of
 * them is the stream's, or first is NULL. */
struct stdio_stream *stdio_search(FILE *file, struct stdio_stream *first);
static inline struct stdio_stream *stdio_stream_at(uint32_t number) {
  return segments_at(&stdio_state.streams, number);
}
static inline struct stdio_aux *stdio_aux_of(uint32_t record) {
  return segments_at(&stdio_state.aux, record);
}

/* Returns the state of a stream; NULL if it is not recorded, or if file is NULL. */
static inline struct stdio_stream *stdio_stream_of(FILE *file) {
  const struct fd_entry *entry = file ? fd_entry(stream_fd(file)) : NULL;
  struct stdio_stream *stream = entry ? __atomic_load_n(&entry->stream, __ATOMIC_ACQUIRE) : NULL;
  if (stream == NULL || stream == FD_FOLDER) return NULL;
  return LIKELY(stream->file == file) ? stream : stdio_search(file, stream);
}

/* Enters the runtime and locks the record of a stream, which is made if necessary. Returns 1; the
 * caller then calls stdio_unlock or stdio_unlock_layers. Returns 0, without the lock, if the event
 * must not be counted. */
static inline int stdio_lock(struct stdio_stream *stream) {
  if (UNLIKELY(!runtime_enter())) return 0;
  for (;;) {
    if (UNLIKELY(!STDIO_PEEK(stream->known)) && !stdio_materialise(stream)) break;
    struct stdio_aux *aux = STDIO_PEEK(stream->aux);
    if (UNLIKELY(!spin_lock(SPIN_RECORD, &aux->lock))) break;
    if (LIKELY(aux == STDIO_PEEK(stream->aux))) return 1;
    spin_unlock(&aux->lock); /* the stream's descriptor has another file by now */
  }
  runtime_leave();
  return 0;
}
static inline void stdio_unlock(struct stdio_stream *stream) {
  spin_unlock(&stream->aux->lock);
  runtime_leave();
}

/* Unlocks the stream's record, reports the call to the modules that watch the record
 * (stdio_aux.watched), and ends the update. The record is unlocked first, because these modules
 * lock records of their own. bytes_read, bytes_written: bytes that the call moved. t1, t2: ticks
 * before and after the call. */
void stdio_tell_and_leave(struct stdio_stream *stream, enum site_kind kind, int64_t bytes_read,
                          int64_t bytes_written, uint64_t t1, uint64_t t2);
/* Like stdio_tell_and_leave, with its arguments, but takes less time if no module watches the
 * record. */
static inline void stdio_unlock_layers(struct stdio_stream *stream, enum site_kind kind,
                                       int64_t bytes_read, int64_t bytes_written, uint64_t t1,
                                       uint64_t t2) {
  if (LIKELY(!stream->aux->watched))
    stdio_unlock(stream);
  else
    stdio_tell_and_leave(stream, kind, bytes_read, bytes_written, t1, t2);
}

/* Functions of open.c. */

void stdio_opened(FILE *file, const char *path, uint64_t t1, uint64_t t2);
void stdio_descriptor_opened(FILE *file, int fd, uint64_t t1, uint64_t t2);
void stdio_temporary_opened(FILE *file, uint64_t t1, uint64_t t2);
/* Ends the recording of a stream that is about to be closed or reopened, and of its descriptor.
 * Copies the stream's state to *last, for counting the event afterwards. Returns 1, or 0 if the
 * stream is not recorded or file is NULL; *last is then unset. */
int stdio_release(FILE *file, struct stdio_stream *last);
/* Called before a stream is closed, or when recording ends: if its file is on Lustre, passes its
 * descriptor to the LUSTRE module (lustre_closing). fd: negative: does nothing. */
void stdio_closing(const struct stdio_stream *stream, int fd);
/* Count the close of a stream, and its reopening by freopen (file: its result, NULL: it failed;
 * path NULL: the same file in another mode). last: from stdio_release; NULL: the stream was not
 * recorded, so no close is counted. */
void stdio_closed(struct stdio_stream *last, int result, uint64_t t1, uint64_t t2);
void stdio_reopened(FILE *file, const char *path, struct stdio_stream *last, uint64_t t1,
                    uint64_t t2);
void stdio_all_closed(uint64_t t1, uint64_t t2);

/* The next functions (below.c) count, in STDIO_EXT, libc's own reads and writes of the file during
 * a call that took `seconds`. stdio_filled counts the read that filled the buffer with `bytes`
 * bytes; stdio_drained the write of `bytes` bytes from it; stdio_drained_by_flush that of fflush;
 * stdio_moved_buffer those of a seek to `offset` (negative: unknown); stdio_opened_a_pipe an open
 * that waited for a pipe's other end. The caller has locked the record, and calls stdio_remember
 * afterwards. */
void stdio_filled(struct stdio_stream *stream, int64_t bytes, double seconds);
void stdio_drained(struct stdio_stream *stream, int64_t bytes, double seconds);
void stdio_drained_by_flush(struct stdio_stream *stream, double seconds);
void stdio_moved_buffer(struct stdio_stream *stream, int64_t offset, double seconds);
void stdio_opened_a_pipe(struct stdio_stream *stream);
/* Counts the bytes that fclose wrote from the buffer. last: from stdio_release. Called after
 * fclose, so it does not use the FILE. The caller has locked the record. */
void stdio_drained_by_close(struct stdio_stream *last);
/* stdio_brought returns the bytes that libc read from the file, stdio_took_away those that it wrote
 * to the file, during a call that moved `bytes` bytes through the stream; 0 for wide characters,
 * whose own buffer the pointers do not show. Computed from the stream's pointers now and at
 * stdio_remember. */
static inline int64_t stdio_brought(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  if (UNLIKELY(stream_is_wide(file)) && !stream_is_unbuffered(file)) return 0;
  return bytes + (stream_read_end(file) - stream_read_at(file)) -
         (stream->read_end - stream->read_mark);
}
static inline int64_t stdio_took_away(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  if (UNLIKELY(stream_is_wide(file)) && !stream_is_unbuffered(file)) return 0;
  return bytes + (stream->write_mark - stream->write_base) -
         (stream_write_at(file) - stream_write_base(file));
}

/* Functions of cookies.c, for streams of fopencookie. */

void stdio_cookie_opened(FILE *file);
void stdio_cookie_closing(FILE *file);
/* Flushes the open streams of fopencookie, except those that another thread has locked. Called at
 * exit, while their writes are still recorded. */
void stdio_flush_cookies(void);

/* Functions of transfer.c. */

/* Pointers of a stream before a call: the next byte to read, and the end and begin of the read
 * buffer. */
struct stdio_mark {
  const char *pointer, *end, *base;
};
static inline struct stdio_mark stdio_mark(const FILE *file) {
  return (struct stdio_mark){stream_read_at(file), stream_read_end(file), stream_read_base(file)};
}
/* Returns a lower bound of the bytes that were read since the mark; exact if the buffer was
 * refilled at most once. */
int64_t stdio_consumed(const FILE *file, struct stdio_mark before);
/* Notes that `bytes` bytes were pushed back (ungetc); they are not counted when they are read
 * again. */
void stdio_ungot(struct stdio_stream *stream, int64_t bytes);
/* Removes what an earlier measured call (stdio_scan_begin and others) left in the stream's FILE,
 * because longjmp or a cancellation abandoned that call (scan-glibc.c, scan-musl.c). */
void stdio_scan_left(struct stdio_stream *stream);
void stdio_read(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2);
void stdio_wrote(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2);
void stdio_line_read(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                     uint64_t t1, uint64_t t2);
/* Counts a call of gets that returned `line`, as stdio_line_read does. libc also read the newline,
 * which `line` does not contain; the last line of a file may have none. before: the stream's
 * pointers at the start of the call. */
void stdio_gets(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                uint64_t t1, uint64_t t2);
void stdio_refilled(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2);
void stdio_overflowed(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2);
void stdio_flushed(struct stdio_stream *stream, uint64_t t1, uint64_t t2);
void stdio_all_flushed(uint64_t t1, uint64_t t2);
void stdio_seeked(struct stdio_stream *stream, int64_t offset, uint64_t t1, uint64_t t2);

/* stdio_settle counts the bytes that inlined macros of <stdio.h> (getc_unlocked, putc_unlocked)
 * moved since the last call, before the next call makes them unknown. It skips streams that threads
 * share: their pointers also move in calls of other threads, and the macros, which do not lock,
 * cannot be used on them. stdio_settle_slow is its slow path, for pointers that have moved. */
void stdio_settle_slow(struct stdio_stream *stream);
/* Counts the bytes that inlined macros of <stdio.h> moved on all streams that this thread used
 * last, as stdio_settle does for one stream. Called before fflush(NULL), which moves the pointers
 * of all streams. */
void stdio_settle_own(void);
static inline void stdio_settle(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  const void *owner = STDIO_PEEK(stream->owner);
  if (UNLIKELY(owner != &darshan_guard)) {
    if (owner) STDIO_POKE(stream->shared, 1);
    STDIO_POKE(stream->owner, &darshan_guard); /* its address names the thread */
    STDIO_POKE(stream->quick[0].site, NULL);   /* of another thread */
    STDIO_POKE(stream->quick[1].site, NULL);
  }
  if (UNLIKELY((stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
                stream_read_at(file) != STDIO_PEEK(stream->read_mark)) ||
               (stream_write_base(file) == STDIO_PEEK(stream->write_base) &&
                stream_write_at(file) != STDIO_PEEK(stream->write_mark))) &&
      !STDIO_PEEK(stream->shared))
    stdio_settle_slow(stream);
}
/* Stores the stream's current pointers, from which stdio_settle computes what inlined macros of
 * <stdio.h> move later. */
static inline void stdio_remember(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  STDIO_POKE(stream->read_mark, stream_read_at(file));
  STDIO_POKE(stream->read_end, stream_read_end(file));
  STDIO_POKE(stream->write_mark, stream_write_at(file));
  STDIO_POKE(stream->write_base, stream_write_base(file));
}

/* Adds the time of a call to an fcounter of the record, without its overlap with earlier calls of
 * its kind. Returns the seconds that it added. The caller has locked the record. */
static inline double stdio_add_time(struct stdio_stream *stream, int fcounter,
                                    enum stdio_operation kind, struct clock_span at) {
  double seconds = record_time(&stream->aux->last_end[kind], at);
  stream->record->fcounters[fcounter] += seconds;
  return seconds;
}
static inline void stdio_note_span(struct stdio_stream *stream, int start_counter, int end_counter,
                                   struct clock_span at) {
  record_note_start(&stream->record->fcounters[start_counter], at.start);
  stream->record->fcounters[end_counter] = at.end;
}

#endif
