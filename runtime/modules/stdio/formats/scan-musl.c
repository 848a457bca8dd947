/* Measures the bytes that musl reads into a stream's buffer and writes out of it during a call
 * (scan.h), by the descriptor's position before and after it. A pipe has no position; the buffer's
 * pointers are used then, which show only the last refill. */
#include "scan.h"

#include <unistd.h>

#include "../../../intercept/sys/sys.h"

/* Clears the flags of an abandoned call in the stream's state. The FILE itself needs no change,
 * because the runtime changes nothing in a FILE of musl. */
void stdio_scan_left(struct stdio_stream *stream) {
  stream->odd &= ~(uint32_t)STDIO_SCANNING;
}

int64_t refills_area(const FILE *file) {
  return stream_read_end(file) - stream_read_base(file);
}

int64_t refills_bytes_waiting(const FILE *file) {
  return stream_read_end(file) - stream_read_at(file);
}

int64_t refills_characters_waiting(struct stdio_stream *stream) {
  /* For wide streams, too, the buffer contains bytes, because musl decodes characters when they
   * are read. */
  return refills_bytes_waiting(stream->file);
}

int refills_may_be_marked(const FILE *file, const char *format) {
  (void)file, (void)format;
  return 0;
}

void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan) {
  scan->position = SYS3(SYS_lseek, stream_fd(stream->file), 0, SEEK_CUR);
  scan->how = scan->position < 0 ? SCAN_BY_POINTERS : SCAN_BY_POSITION;
}

void stdio_lend_offset(struct stdio_stream *stream, struct stdio_scan *scan) {
  /* Begins to measure by the descriptor's position, because a FILE of musl has no offset. */
  scan->position = SYS3(SYS_lseek, stream_fd(stream->file), 0, SEEK_CUR);
  scan->how = SCAN_BY_OFFSET;
}

int64_t stdio_scan_refills(const struct stdio_stream *stream, const struct stdio_scan *scan) {
  if (scan->how == SCAN_BY_POINTERS || scan->position < 0) return -1;
  int64_t now = SYS3(SYS_lseek, stream_fd(stream->file), 0, SEEK_CUR);
  return now >= scan->position ? now - scan->position : -1;
}

int64_t stdio_output_waiting(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  return stream_is_putting(file) ? stream_write_at(file) - stream_write_base(file) : 0;
}
