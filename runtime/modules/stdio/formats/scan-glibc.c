/* Measures the bytes that glibc reads into a stream's buffers and writes out of them during a call,
 * in one of three ways:
 *
 * - A marker, libc's own means to measure how far a reader has come (_IO_init_marker). At each
 *   refill libc subtracts the bytes of the discarded buffer from the marker's position. A marker
 *   far ahead of the reader makes libc keep nothing in memory. It is exact for pipes, too.
 * - The descriptor's position before and after the call, by two system calls.
 * - The stream's offset, which libc advances at each refill if it knows it. If not, the offset
 *   counts from 0 during the call and is set to unknown again afterwards. */
#include "scan.h"

#include <limits.h>
#include <string.h>

#include "../../../intercept/sys/sys.h"
#include "wide.h"

/* FAR_AHEAD: position of a marker, further ahead of the reader than a call can read. Only input
 * that a format skips ("%*s") may be longer; libc would then keep the data behind the marker.
 * MARKS: number of markers. */
enum { FAR_AHEAD = INT_MAX, MARKS = 32 };

/* The markers by which scans measure how far a reader has come. They are static and never freed,
 * because the application may leave a call by longjmp. */
static struct {
  struct { /* has the layout of libc's struct _IO_marker */
    void *next;
    FILE *file;
    int position;
  } marker;
  int taken;
} marks[MARKS];

static void *marker_of(int mark) {
  return &marks[mark].marker;
}

/* Takes a free marker for a stream. Returns its index, or -1 if all are in use. */
static int mark_taken(FILE *file) {
  for (int i = 0; i < MARKS; i++)
    if (!__atomic_exchange_n(&marks[i].taken, 1, __ATOMIC_ACQUIRE)) {
      marks[i].marker.next = NULL;
      marks[i].marker.file = file;
      marks[i].marker.position = FAR_AHEAD;
      return i;
    }
  return -1;
}

/* Removes the marker from the stream, if the stream still has it, and frees it. */
static void mark_off(FILE *file, int mark) {
  if ((void *)file->_markers == marker_of(mark)) file->_markers = NULL;
  __atomic_store_n(&marks[mark].taken, 0, __ATOMIC_RELEASE);
}

/* Removes the runtime's marker, and sets an offset of the runtime to unknown again. */
void stdio_scan_left(struct stdio_stream *stream) {
  FILE *file = stream->file;
  if (stream->odd & STDIO_LENT) file->_offset = -1;
  for (int i = 0; i < MARKS; i++)
    if ((void *)file->_markers == marker_of(i)) mark_off(file, i);
  stream->odd &= ~(uint32_t)STDIO_SCANNING;
}

int64_t refills_area(const FILE *file) {
  return stream_is_in_backup(file) ? file->_IO_save_end - file->_IO_save_base
                                   : file->_IO_read_end - file->_IO_read_base;
}

int64_t refills_bytes_waiting(const FILE *file) {
  int64_t bytes = file->_IO_read_end - file->_IO_read_ptr;
  if (stream_is_in_backup(file)) bytes += file->_IO_save_end - file->_IO_save_base;
  return bytes;
}

int64_t refills_characters_waiting(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  const struct stream_wide *wide = stream_wide(file);
  int64_t bytes = file->_IO_read_end - file->_IO_read_ptr;
  if (!wide || file->_mode <= 0) return bytes;
  bytes += stdio_encoded(stream, wide->read_ptr, wide->read_end);
  if (stream_is_in_backup(file)) bytes += stdio_encoded(stream, wide->save_base, wide->save_end);
  return bytes;
}

int refills_may_be_marked(const FILE *file, const char *format) {
  /* A marker can measure this call if the stream is being read as bytes and has no marker, and
   * the format skips no input. Characters that were pushed back before the first read are in an
   * area that libc frees with the first buffer; with a marker, libc would free the area twice. */
  int pushed_back = stream_is_in_backup(file) || file->_IO_save_base;
  return !stream_is_putting(file) && (file->_IO_buf_base || !pushed_back) && !file->_markers &&
         file->_mode <= 0 && !strstr(format, "%*");
}

void stdio_lend_offset(struct stdio_stream *stream, struct stdio_scan *scan) {
  FILE *file = stream->file;
  scan->how = SCAN_BY_OFFSET;
  scan->lent = file->_offset < 0;
  if (scan->lent) {
    stream->odd |= STDIO_LENT;
    file->_offset = 0;
  }
  scan->position = file->_offset;
}

void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan) {
  FILE *file = stream->file;
  if (scan->how == SCAN_BY_MARK && (scan->mark = mark_taken(file)) >= 0) {
    stream->odd |= STDIO_MARKED;
    file->_markers = marker_of(scan->mark);
    return;
  }
  scan->position = SYS3(SYS_lseek, file->_fileno, 0, SEEK_CUR);
  scan->how = SCAN_BY_POSITION;
  if (scan->position < 0) stdio_lend_offset(stream, scan);
}

int64_t stdio_scan_refills(const struct stdio_stream *stream, const struct stdio_scan *scan) {
  /* The result is -1 if the marker is gone, the position went back or cannot be read, or the scan
   * measures no refills (SCAN_BY_POINTERS). */
  FILE *file = stream->file;
  int64_t bytes = -1, now;
  switch (scan->how) {
  case SCAN_BY_MARK:
    now = refills_area(file);
    if ((void *)file->_markers == marker_of(scan->mark)) {
      bytes = (int64_t)FAR_AHEAD - marks[scan->mark].marker.position - scan->area + now;
      /* At the end of the file, a memory-mapped stream keeps its buffer. */
      if (stream_is_at_end(file) && bytes >= now) bytes -= now;
    }
    mark_off(file, scan->mark);
    break;
  case SCAN_BY_POSITION:
    now = SYS3(SYS_lseek, file->_fileno, 0, SEEK_CUR);
    if (now >= scan->position) bytes = now - scan->position;
    break;
  case SCAN_BY_OFFSET: /* libc's offset is unknown at the end of the file */
    if (file->_offset >= scan->position) bytes = file->_offset - scan->position;
    if (scan->lent) file->_offset = -1;
    break;
  default:
    break;
  }
  return bytes;
}

int64_t stdio_output_waiting(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  const struct stream_wide *wide = stream_wide(file);
  if (!stream_is_putting(file)) return 0;
  int64_t bytes = file->_IO_write_ptr - file->_IO_write_base;
  if (file->_mode <= 0 || !wide) return bytes;
  return bytes + stdio_encoded(stream, wide->write_base, wide->write_ptr);
}
