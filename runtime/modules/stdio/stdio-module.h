/* The STDIO module: what calls on streams do to the records.
 *
 * Bytes are what passed through the stream.  Where a call does not tell (a
 * scanf, a macro of stdio.h that was inlined into the program) they come from
 * the movement of the stream's own pointers, which are public in its FILE. */
#ifndef DARSHAN_STDIO_MODULE_H
#define DARSHAN_STDIO_MODULE_H

#include "../../door/door.h"
#include "../heatmap/heatmap.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "../posix/posix.h"
#include "modules/stdio/records.h"
#include "stdio-state.h"

#include <libc-stream.h>

/* What threads look at without a lock. */
#define STDIO_PEEK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define STDIO_POKE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

enum stdio_operation { STDIO_META, STDIO_READ, STDIO_WRITE };

/* streams.c */
int stdio_prepare(void);
void stdio_forked(void);
void stdio_ended(void);
/* For the metadata: names that share the overflow record. */
uint64_t stdio_streams_in_overflow(void);
/* Books what inlined macros did on streams that are still open. */
void stdio_finish(void);
/* The file that a number belongs to because a stream was opened there; 0: none. */
int stdio_name_at(int fd, struct posix_name *name);
/* The name of a stream that is followed; 0: it is not. */
int stdio_stream_name(FILE *stream, struct posix_name *name);
/* Follows a stream from now on under this name; NULL: too many. */
struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name);
int stdio_materialise(struct stdio_stream *stream);
/* 1: of this stream it was not known yet what the process was born with; no regular file. */
int stdio_was_never_a_file(struct stdio_stream *stream);
struct stdio_stream *stdio_search(FILE *file, struct stdio_stream *first);
static inline struct stdio_stream *stdio_stream_at(uint32_t number) {
  return segments_at(&stdio_state.streams, number);
}
static inline struct stdio_aux *stdio_aux_of(uint32_t record) {
  return segments_at(&stdio_state.aux, record);
}

/* The state of a stream, NULL if it is not followed. */
static inline struct stdio_stream *stdio_stream_of(FILE *file) {
  const struct fd_entry *entry = file ? fd_entry(stream_fd(file)) : NULL;
  struct stdio_stream *stream = entry ? __atomic_load_n(&entry->stream, __ATOMIC_ACQUIRE) : NULL;
  if (stream == NULL || stream == FD_FOLDER) return NULL;
  return LIKELY(stream->file == file) ? stream : stdio_search(file, stream);
}

static inline int stdio_lock(struct stdio_stream *stream) {
  if (UNLIKELY(!runtime_enter())) return 0;
  for (;;) {
    if (UNLIKELY(!STDIO_PEEK(stream->known)) && !stdio_materialise(stream)) break;
    struct stdio_aux *aux = STDIO_PEEK(stream->aux);
    if (UNLIKELY(!spin_lock(SPIN_RECORD, &aux->lock))) break;
    if (LIKELY(aux == STDIO_PEEK(stream->aux))) return 1;
    spin_unlock(&aux->lock); /* its descriptor was given another file meanwhile */
  }
  runtime_leave();
  return 0;
}
static inline void stdio_unlock(struct stdio_stream *stream) {
  spin_unlock(&stream->aux->lock);
  runtime_leave();
}

/* The same, telling upper layers what became of their calls. */
static inline void stdio_unlock_layers(struct stdio_stream *stream, int64_t bytes_read,
                                       int64_t bytes_written, uint64_t ticks) {
  uint32_t watched = stream->aux->watched;
  stdio_unlock(stream);
  if (UNLIKELY(watched)) layers_stdio_slow(bytes_read, bytes_written, ticks);
}

/* open.c */
void stdio_opened(FILE *file, const char *path, uint64_t t1, uint64_t t2);
void stdio_descriptor_opened(FILE *file, int fd, uint64_t t1, uint64_t t2);
void stdio_temporary_opened(FILE *file, uint64_t t1, uint64_t t2);
/* A stream is about to be closed or reopened: it is not followed any more.
 * What is left of it is copied, for the event afterwards; 0: nothing. */
int stdio_release(FILE *file, struct stdio_stream *last);
/* Before a stream is closed: where is its file? */
void stdio_closing(const struct stdio_stream *stream, int fd);
void stdio_closed(struct stdio_stream *last, int result, uint64_t t1, uint64_t t2);
void stdio_reopened(FILE *file, const char *path, struct stdio_stream *last, uint64_t t1,
                    uint64_t t2);
void stdio_all_closed(uint64_t t1, uint64_t t2);

/* below.c: what a call made libc do, with the record locked and before stdio_remember;
 * seconds of the call */
void stdio_filled(struct stdio_stream *stream, int64_t bytes, double seconds);
void stdio_drained(struct stdio_stream *stream, int64_t bytes, double seconds);
void stdio_drained_by_flush(struct stdio_stream *stream, double seconds);
void stdio_moved_buffer(struct stdio_stream *stream, int64_t offset, double seconds);
void stdio_opened_a_pipe(struct stdio_stream *stream);
/* The FILE is gone. */
void stdio_drained_by_close(struct stdio_stream *last);
/* What a call read more than it took from the buffer; wrote more than it put there. */
static inline int64_t stdio_brought(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  return bytes + (stream_read_end(file) - stream_read_at(file)) -
         (stream->read_end - stream->read_mark);
}
static inline int64_t stdio_took_away(const struct stdio_stream *stream, int64_t bytes) {
  const FILE *file = stream->file;
  return bytes + (stream->write_mark - stream->write_base) -
         (stream_write_at(file) - stream_write_base(file));
}

/* cookies.c: streams of fopencookie */
void stdio_cookie_opened(FILE *file);
void stdio_cookie_closing(FILE *file);
/* At the end of the process. */
void stdio_flush_cookies(void);

/* transfer.c */
struct stdio_mark { /* of a stream before a call */
  const char *pointer, *end, *base;
};
static inline struct stdio_mark stdio_mark(const FILE *file) {
  return (struct stdio_mark){stream_read_at(file), stream_read_end(file), stream_read_base(file)};
}
/* Bytes read since then, at least. */
int64_t stdio_consumed(const FILE *file, struct stdio_mark before);
/* Bytes were pushed back: they come again, and are not new. */
void stdio_ungot(struct stdio_stream *stream, int64_t bytes);
/* scan.c: ends what a call did not that was left by longjmp. */
void stdio_scan_left(struct stdio_stream *stream);
void stdio_read(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2);
void stdio_wrote(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2);
void stdio_line_read(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                     uint64_t t1, uint64_t t2);
/* gets: the newline is read and not kept. */
void stdio_gets(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                uint64_t t1, uint64_t t2);
void stdio_refilled(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2);
void stdio_overflowed(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2);
void stdio_flushed(struct stdio_stream *stream, uint64_t t1, uint64_t t2);
void stdio_all_flushed(uint64_t t1, uint64_t t2);
void stdio_seeked(struct stdio_stream *stream, int64_t offset, uint64_t t1, uint64_t t2);

/* Books what inlined macros moved since the last call, before it is lost.  Not
 * on streams that threads share: there, pointers move in calls of others, and
 * the macros, which do not lock, are of no use. */
void stdio_settle_slow(struct stdio_stream *stream);
/* All that this thread uses. */
void stdio_settle_own(void);
static inline void stdio_settle(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  const void *owner = STDIO_PEEK(stream->owner);
  if (UNLIKELY(owner != &darshan_guard)) {
    if (owner) STDIO_POKE(stream->shared, 1);
    STDIO_POKE(stream->owner, &darshan_guard); /* its address names the thread */
  }
  if (UNLIKELY((stream_read_end(file) == STDIO_PEEK(stream->read_end) &&
                stream_read_at(file) != STDIO_PEEK(stream->read_mark)) ||
               (stream_write_base(file) == STDIO_PEEK(stream->write_base) &&
                stream_write_at(file) != STDIO_PEEK(stream->write_mark))) &&
      !STDIO_PEEK(stream->shared))
    stdio_settle_slow(stream);
}
/* From here on, inlined macros are seen again. */
static inline void stdio_remember(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  STDIO_POKE(stream->read_mark, stream_read_at(file));
  STDIO_POKE(stream->read_end, stream_read_end(file));
  STDIO_POKE(stream->write_mark, stream_write_at(file));
  STDIO_POKE(stream->write_base, stream_write_base(file));
}

/* With the record locked. */
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
