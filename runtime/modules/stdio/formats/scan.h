/* Measures the bytes of a formatted read or a wide write, because the call's result does not report
 * them. */
#ifndef DARSHAN_STDIO_SCAN_H
#define DARSHAN_STDIO_SCAN_H

#include "../stdio-module.h"

/* State of a stream before a measured call. The bytes of the call are those of refills (or flushes)
 * during it, plus the change of the bytes in the buffers. */
struct stdio_scan {
  /* how refills are measured: not at all, only by the buffer's pointers; by a marker of glibc; by
   * the descriptor's position; by the stream's own offset (scan-glibc.c) */
  enum { SCAN_BY_POINTERS, SCAN_BY_MARK, SCAN_BY_POSITION, SCAN_BY_OFFSET } how;
  int wide; /* 1: the call moves wide characters */
  int mark; /* number of the libc marker that counts refills */
  int lent; /* 1: the stream's own offset was unknown, and now counts bytes for the runtime */
  int64_t waiting;  /* bytes in the stream's buffers */
  int64_t area;     /* bytes that the last refill put into the buffer */
  int64_t position; /* that of the descriptor, or the stream's offset */
  struct stdio_mark before;
};

void stdio_scan_begin(struct stdio_stream *stream, const char *format, struct stdio_scan *scan);
void stdio_parse_begin(struct stdio_stream *stream, struct stdio_scan *scan);
void stdio_wide_scan_begin(struct stdio_stream *stream, struct stdio_scan *scan);
/* Counts the read that began with *scan. result: of the call; if it is EOF, the read is counted
 * only if bytes were read. t1, t2: ticks before and after the call. */
void stdio_scanned(struct stdio_stream *stream, const struct stdio_scan *scan, int result,
                   uint64_t t1, uint64_t t2);

/* Parts of the functions above. stdio_lend_offset begins to measure by the stream's own offset
 * (SCAN_BY_OFFSET), which is set to 0 for this if libc does not know it. stdio_scan_refills, after
 * the call, returns the bytes that the call moved between file and buffer, -1 if unknown, and ends
 * the measurement. stdio_output_waiting returns the written bytes that are not flushed yet. */
void stdio_lend_offset(struct stdio_stream *stream, struct stdio_scan *scan);
int64_t stdio_scan_refills(const struct stdio_stream *stream, const struct stdio_scan *scan);
int64_t stdio_output_waiting(struct stdio_stream *stream);

void stdio_wide_print_begin(struct stdio_stream *stream, struct stdio_scan *scan);
void stdio_wide_printed(struct stdio_stream *stream, const struct stdio_scan *scan, int characters,
                        uint64_t t1, uint64_t t2);

/* Functions of scan-glibc.c or scan-musl.c, which measure the bytes that the C library reads and
 * writes during a call. */

/* refills_area returns the bytes that the last refill put into the buffer. refills_bytes_waiting
 * returns the bytes in the buffer that have not been read yet. refills_characters_waiting returns
 * these bytes, not characters, for a stream of wide characters. */
int64_t refills_area(const FILE *file);
int64_t refills_bytes_waiting(const FILE *file);
int64_t refills_characters_waiting(struct stdio_stream *stream);
/* Returns 1 if SCAN_BY_MARK is exact for this call, otherwise 0. */
int refills_may_be_marked(const FILE *file, const char *format);
/* Begins to measure the refills of a call, and stores in scan->how by what. scan->how:
 * SCAN_BY_MARK: a marker is used if one is free. */
void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan);

#endif
