/* Computes the bytes of calls whose result does not report them. The bytes read are the bytes of
 * refills, plus the bytes in the buffer before the call, minus the bytes in it afterwards. Refills
 * happen within libc (scan.h). If they cannot be measured, because threads share the stream, the
 * stream's pointers before and after the call are compared. */
#include "scan.h"

void stdio_scan_begin(struct stdio_stream *stream, const char *format, struct stdio_scan *scan) {
  const FILE *file = stream->file;
  if (stream->odd & STDIO_SCANNING) stdio_scan_left(stream);
  *scan = (struct stdio_scan){.waiting = refills_bytes_waiting(file), .area = refills_area(file)};
  scan->before = stdio_mark(file);
  if (STDIO_PEEK(stream->shared)) return;
  if (refills_may_be_marked(file, format)) scan->how = SCAN_BY_MARK;
  refills_begin(stream, scan);
}

/* Like stdio_scan_begin, before a call of libc that reads lines and may go back in the file
 * (fgetpwent and similar functions), which a marker cannot measure. */
void stdio_parse_begin(struct stdio_stream *stream, struct stdio_scan *scan) {
  const FILE *file = stream->file;
  if (stream->odd & STDIO_SCANNING) stdio_scan_left(stream);
  *scan = (struct stdio_scan){.waiting = refills_bytes_waiting(file), .before = stdio_mark(file)};
  if (!STDIO_PEEK(stream->shared)) refills_begin(stream, scan);
}

void stdio_wide_scan_begin(struct stdio_stream *stream, struct stdio_scan *scan) {
  if (stream->odd & STDIO_SCANNING) stdio_scan_left(stream);
  *scan = (struct stdio_scan){.wide = 1, .waiting = refills_characters_waiting(stream)};
  if (!STDIO_PEEK(stream->shared)) refills_begin(stream, scan);
}

/* Ends the measurement and returns the bytes that the call read, which may be below 0 if the call
 * went back in the file; if refills are unknown, a lower bound. */
static int64_t bytes_scanned(struct stdio_stream *stream, const struct stdio_scan *scan) {
  const FILE *file = stream->file;
  int64_t brought = stdio_scan_refills(stream, scan);
  stream->odd &= ~(uint32_t)STDIO_SCANNING;
  int64_t left = scan->wide ? refills_characters_waiting(stream) : refills_bytes_waiting(file);
  if (brought < 0 && !scan->wide) return stdio_consumed(file, scan->before);
  if (brought < 0) brought = 0;
  return brought + scan->waiting - left;
}

void stdio_scanned(struct stdio_stream *stream, const struct stdio_scan *scan, int result,
                   uint64_t t1, uint64_t t2) {
  int64_t bytes = bytes_scanned(stream, scan);
  if (bytes < 0) bytes = 0;
  if (result != EOF || bytes > 0) stdio_read(stream, bytes, t1, t2);
}

void stdio_wide_print_begin(struct stdio_stream *stream, struct stdio_scan *scan) {
  *scan = (struct stdio_scan){.wide = 1, .waiting = stdio_output_waiting(stream)};
  if (STDIO_PEEK(stream->shared)) return;
  /* Measures the refills if the stream appends, because libc forgets its offset with each flush. */
  if (stream_appends(stream->file))
    refills_begin(stream, scan);
  else
    stdio_lend_offset(stream, scan);
}

void stdio_wide_printed(struct stdio_stream *stream, const struct stdio_scan *scan, int characters,
                        uint64_t t1, uint64_t t2) {
  int64_t flushed = stdio_scan_refills(stream, scan);
  stream->odd &= ~(uint32_t)STDIO_SCANNING;
  if (characters < 0) return;
  int64_t bytes = flushed + stdio_output_waiting(stream) - scan->waiting;
  /* A character has one to eight bytes in every encoding. */
  if (flushed < 0 || bytes < characters || bytes > 8 * (int64_t)characters) bytes = characters;
  stdio_wrote(stream, bytes, t1, t2);
}
