/* Counts reads, writes, flushes and seeks of streams, with the bytes that pass through the stream.
 */
#include "modules/stdio/records.h"
#include "quick.h"

#include <string.h>

int64_t stdio_consumed(const FILE *file, struct stdio_mark before) {
  if (stream_read_base(file) == before.base && stream_read_end(file) == before.end)
    return stream_read_at(file) - before.pointer;
  return (before.end - before.pointer) + (stream_read_at(file) - stream_read_base(file));
}

/* Adds bytes to a counter of bytes, moves the stream's offset, and raises the counter of the
 * highest byte offset. The caller has locked the record. */
static inline void moved(struct stdio_stream *stream, int bytes_counter, int max_counter,
                         int64_t bytes) {
  int64_t *counters = stream->record->counters;
  counters[bytes_counter] += bytes;
  STDIO_POKE(stream->offset, stream->offset + bytes);
  if (bytes && counters[max_counter] < stream->offset - 1)
    counters[max_counter] = stream->offset - 1;
}

static inline void into_heatmap(struct stdio_stream *stream, int writes, int64_t bytes, uint64_t t1,
                                uint64_t t2) {
  const int64_t *counters = stream->record->counters;
  heatmap_add(HEATMAP_STDIO, &stream->aux->span, stream->aux->booked, &counters[STDIO_BYTES_READ],
              &counters[STDIO_BYTES_WRITTEN], writes, bytes, t1, t2);
}

/* Returns how many of the bytes read are new, because they were not pushed back before. The caller
 * has locked the record. */
static int64_t new_bytes(struct stdio_stream *stream, int64_t bytes) {
  if (stream->odd & STDIO_SCANNING) stdio_scan_left(stream);
  int64_t again = stream->odd & STDIO_PUSHED_BACK;
  if (again > bytes) again = bytes;
  stream->odd -= (uint32_t)again;
  return bytes - again;
}

void stdio_read(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2) {
  if (!stdio_lock(stream)) return;
  int64_t brought = stdio_brought(stream, bytes);
  if (UNLIKELY(stream->odd)) bytes = new_bytes(stream, bytes);
  struct clock_span at = ticks_span(t1, t2);
  stdio_remember(
      stream); /* first; otherwise an interrupted update would count the bytes again as inlined */
  stream->record->counters[STDIO_READS]++;
  moved(stream, STDIO_BYTES_READ, STDIO_MAX_BYTE_READ, bytes);
  stdio_note_span(stream, STDIO_F_READ_START_TIMESTAMP, STDIO_F_READ_END_TIMESTAMP, at);
  if (UNLIKELY(stdio_untimed(&stream->quick[0]))) stdio_quick_book(stream, STDIO_READ, at.start);
  double seconds = stdio_add_time(stream, STDIO_F_READ_TIME, STDIO_READ, at);
  if (UNLIKELY(brought > 0)) stdio_filled(stream, brought, seconds);
  into_heatmap(stream, 0, bytes, t1, t2);
  stdio_unlock_layers(stream, SITE_READ, bytes, 0, t1, t2);
}

void stdio_wrote(struct stdio_stream *stream, int64_t bytes, uint64_t t1, uint64_t t2) {
  if (!stdio_lock(stream)) return;
  int64_t taken = stdio_took_away(stream, bytes);
  struct clock_span at = ticks_span(t1, t2);
  stdio_remember(stream);
  stream->record->counters[STDIO_WRITES]++;
  moved(stream, STDIO_BYTES_WRITTEN, STDIO_MAX_BYTE_WRITTEN, bytes);
  stdio_note_span(stream, STDIO_F_WRITE_START_TIMESTAMP, STDIO_F_WRITE_END_TIMESTAMP, at);
  if (UNLIKELY(stdio_untimed(&stream->quick[1]))) stdio_quick_book(stream, STDIO_WRITE, at.start);
  double seconds = stdio_add_time(stream, STDIO_F_WRITE_TIME, STDIO_WRITE, at);
  if (UNLIKELY(taken > 0)) stdio_drained(stream, taken, seconds);
  into_heatmap(stream, 1, bytes, t1, t2);
  stdio_unlock_layers(stream, SITE_WRITE, 0, bytes, t1, t2);
}

/* Counts the read of a line, by the larger of two measures: the movement of the stream's pointers,
 * which is too small if the line is longer than the buffer, and the length of the text, which is
 * too small if the line contains NUL bytes. before: the stream's pointers before the call. */
void stdio_line_read(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                     uint64_t t1, uint64_t t2) {
  int64_t passed = stdio_consumed(stream->file, before);
  int64_t length = (int64_t)strlen(line);
  stdio_read(stream, passed > length ? passed : length, t1, t2);
}

void stdio_gets(struct stdio_stream *stream, const char *line, struct stdio_mark before,
                uint64_t t1, uint64_t t2) {
  int64_t passed = stdio_consumed(stream->file, before);
  int64_t length = (int64_t)strlen(line) + !stream_is_at_end(stream->file);
  stdio_read(stream, passed > length ? passed : length, t1, t2);
}

void stdio_ungot(struct stdio_stream *stream, int64_t bytes) {
  if (!stdio_lock(stream)) return;
  if (stream->odd & STDIO_SCANNING) stdio_scan_left(stream);
  if ((stream->odd & STDIO_PUSHED_BACK) + bytes <= STDIO_PUSHED_BACK)
    stream->odd += (uint32_t)bytes;
  stdio_remember(stream);
  stdio_unlock(stream);
}

static void note_inlined(struct stdio_stream *stream) {
  posix_ext_inlined(&stream->aux->ext, stream->record->base.id, stream->name, stream->name_length);
}

/* Adds the bytes that inlined macros of <stdio.h> moved to the heat map. before: the record's bytes
 * read and written before these were added. It is unknown when a macro moved its bytes, so they are
 * counted at the current time. */
static void settled_in_heatmap(struct stdio_stream *stream, const int64_t before[2]) {
  const int64_t *counters = stream->record->counters;
  uint64_t now = ticks_now();
  int64_t read = counters[STDIO_BYTES_READ] - before[0];
  int64_t written = counters[STDIO_BYTES_WRITTEN] - before[1];
  if (read) into_heatmap(stream, 0, read, now, now);
  if (written) into_heatmap(stream, 1, written, now, now);
}

void stdio_settle_slow(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  record_make_room(STORE_POSIX_EXT);
  if (!stdio_lock(stream)) return;
  int64_t before[2] = {stream->record->counters[STDIO_BYTES_READ],
                       stream->record->counters[STDIO_BYTES_WRITTEN]};
  int64_t read =
      stream_read_end(file) == stream->read_end ? stream_read_at(file) - stream->read_mark : 0;
  int64_t written = stream_write_base(file) == stream->write_base
                        ? stream_write_at(file) - stream->write_mark
                        : 0;
  stdio_remember(stream);
  if (read > 0) {
    moved(stream, STDIO_BYTES_READ, STDIO_MAX_BYTE_READ, new_bytes(stream, read));
    stream->record->counters[STDIO_READS]++;
    note_inlined(stream);
  }
  if (written > 0) {
    moved(stream, STDIO_BYTES_WRITTEN, STDIO_MAX_BYTE_WRITTEN, written);
    stream->record->counters[STDIO_WRITES]++;
    note_inlined(stream);
  }
  settled_in_heatmap(stream, before);
  stdio_unlock(stream);
}

/* Counts the byte that an inlined macro read by a refill (__uflow), after it reached the end of the
 * buffer. result: the byte, or EOF, which counts nothing. Only the calling thread uses the
 * stream. */
void stdio_refilled(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2) {
  if (result != EOF) stdio_read(stream, 1, t1, t2);
}

void stdio_overflowed(struct stdio_stream *stream, int result, uint64_t t1, uint64_t t2) {
  if (result != EOF) stdio_wrote(stream, 1, t1, t2);
}

void stdio_flushed(struct stdio_stream *stream, uint64_t t1, uint64_t t2) {
  if (!stdio_lock(stream)) return;
  struct clock_span at = ticks_span(t1, t2);
  stream->record->counters[STDIO_FLUSHES]++;
  stream->odd = 0;
  stdio_note_span(stream, STDIO_F_WRITE_START_TIMESTAMP, STDIO_F_WRITE_END_TIMESTAMP, at);
  stdio_drained_by_flush(stream, stdio_add_time(stream, STDIO_F_WRITE_TIME, STDIO_WRITE, at));
  stdio_remember(stream);
  stdio_unlock_layers(stream, SITE_SYNC, 0, 0, t1, t2);
}

void stdio_settle_own(void) {
  for (uint32_t i = 1; i <= stdio_state.used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    if (stream->file && stream->record && stream->owner == &darshan_guard) stdio_settle(stream);
  }
}

/* Counts fflush(NULL) as one flush of every open stream that has a record; each gets the call's
 * time. */
void stdio_all_flushed(uint64_t t1, uint64_t t2) {
  for (uint32_t i = 1; i <= stdio_state.used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    if (stream->file && stream->record) stdio_flushed(stream, t1, t2);
  }
}

void stdio_seeked(struct stdio_stream *stream, int64_t offset, uint64_t t1, uint64_t t2) {
  if (!stdio_lock(stream)) return;
  stream->record->counters[STDIO_SEEKS]++;
  stream->odd = 0;
  stdio_moved_buffer(stream, offset,
                     stdio_add_time(stream, STDIO_F_META_TIME, STDIO_META, ticks_span(t1, t2)));
  if (offset >= 0 && !stream->appends) STDIO_POKE(stream->offset, offset);
  stdio_remember(stream);
  stdio_unlock_layers(stream, SITE_SEEK, 0, 0, t1, t2);
}
