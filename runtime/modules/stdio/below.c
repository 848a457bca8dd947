/* Counts the bytes that libc transfers between files and the buffers of streams (STDIO_EXT). */
#include "stdio-module.h"

/* Returns the STDIO_EXT record of a stream, in which libc's transfers are counted; NULL if it has
 * none, or if other threads may have moved the stream's pointers, so that the bytes are unknown. */
static struct darshan_stdio_ext_record *record_below(struct stdio_stream *stream) {
  uint32_t number = stream->aux->below;
  if (!number) return NULL;
  if (STDIO_PEEK(stream->shared) && !stream_is_unbuffered(stream->file)) return NULL;
  return store_record(&darshan_store, STORE_STDIO_EXT, number);
}

/* Counts a transfer of an unbuffered stream, and stores the largest size of the buffer. */
static void note_mode(struct stdio_stream *stream, struct darshan_stdio_ext_record *below) {
  const FILE *file = stream->file;
  int64_t room = (int64_t)stream_buffer_size(file);
  below->counters[STDIO_EXT_UNBUFFERED] += stream_is_unbuffered(file);
  if (below->counters[STDIO_EXT_BUFFER_BYTES] < room)
    below->counters[STDIO_EXT_BUFFER_BYTES] = room;
}

static void filled(struct stdio_stream *stream, struct darshan_stdio_ext_record *below,
                   int64_t bytes) {
  below->counters[STDIO_EXT_FILLS]++;
  below->counters[STDIO_EXT_FILLED_BYTES] += bytes;
  note_mode(stream, below);
}

static void drained(struct stdio_stream *stream, struct darshan_stdio_ext_record *below,
                    int64_t bytes) {
  below->counters[STDIO_EXT_DRAINS]++;
  below->counters[STDIO_EXT_DRAINED_BYTES] += bytes;
  note_mode(stream, below);
}

void stdio_filled(struct stdio_stream *stream, int64_t bytes, double seconds) {
  struct darshan_stdio_ext_record *below = record_below(stream);
  /* Bytes that were pushed back are not in the buffer, and do not show how many bytes libc read. */
  if (!below || stream->odd || stream_is_in_backup(stream->file)) return;
  filled(stream, below, bytes);
  below->fcounters[STDIO_EXT_F_FILL_TIME] += seconds;
}

void stdio_drained(struct stdio_stream *stream, int64_t bytes, double seconds) {
  struct darshan_stdio_ext_record *below = record_below(stream);
  if (!below) return;
  drained(stream, below, bytes);
  below->counters[STDIO_EXT_LINE_DRAINS] += stream_is_line_buffered(stream->file);
  below->fcounters[STDIO_EXT_F_DRAIN_TIME] += seconds;
}

void stdio_drained_by_flush(struct stdio_stream *stream, double seconds) {
  struct darshan_stdio_ext_record *below = record_below(stream);
  if (!below) return;
  below->fcounters[STDIO_EXT_F_FLUSH_TIME] += seconds;
  int64_t bytes = stdio_took_away(stream, 0);
  if (bytes <= 0) return;
  drained(stream, below, bytes);
  below->counters[STDIO_EXT_FLUSH_DRAINS]++;
}

void stdio_moved_buffer(struct stdio_stream *stream, int64_t offset, double seconds) {
  /* A seek makes libc write the waiting bytes, discard the buffer and read the block of the new
   * offset. A seek within the buffer only moves a pointer: libc neither discards nor reads a
   * block. */
  struct darshan_stdio_ext_record *below = record_below(stream);
  const FILE *file = stream->file;
  if (!below) return;
  below->fcounters[STDIO_EXT_F_SEEK_TIME] += seconds;
  int64_t bytes = stdio_took_away(stream, 0);
  if (bytes > 0) drained(stream, below, bytes);
  int inside = stream_read_end(file) == stream->read_end &&
               stream_read_at(file) - stream->read_mark == offset - stream->offset;
  if (inside || offset < 0 || stream->offset < 0) return;
  below->counters[STDIO_EXT_DISCARDS] += stream->read_end > stream->read_mark;
  /* libc has read the block that contains the new offset. */
  if ((bytes = stream_read_end(file) - stream_read_base(file)) > 0) filled(stream, below, bytes);
}

void stdio_opened_a_pipe(struct stdio_stream *stream) {
  struct darshan_stdio_ext_record *below = record_below(stream);
  if (below) below->counters[STDIO_EXT_FIFO_OPENS]++;
}

void stdio_drained_by_close(struct stdio_stream *last) {
  int64_t bytes = last->write_mark - last->write_base;
  uint32_t number = last->aux->below;
  if (!number || bytes <= 0 || STDIO_PEEK(last->shared)) return;
  struct darshan_stdio_ext_record *below = store_record(&darshan_store, STORE_STDIO_EXT, number);
  below->counters[STDIO_EXT_DRAINS]++;
  below->counters[STDIO_EXT_DRAINED_BYTES] += bytes;
}
