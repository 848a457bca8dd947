/* Measures the bytes of a formatted read or a wide write, because the call's result does not report
 * them. */
#ifndef DARSHAN_STDIO_SCAN_H
#define DARSHAN_STDIO_SCAN_H

#include "../stdio-module.h"

/* State of a stream before a call. The bytes of the call are the refills (or flushes) during it and
 * the change of the bytes in the buffers. */
struct stdio_scan {
  enum { SCAN_BY_POINTERS, SCAN_BY_MARK, SCAN_BY_POSITION, SCAN_BY_OFFSET } how;
  int wide;
  int mark;         /* number of the libc marker that counts refills */
  int lent;         /* the stream's own offset was unknown, and now counts the runtime's bytes */
  int64_t waiting;  /* bytes in its buffers */
  int64_t area;     /* bytes that the buffer was filled with */
  int64_t position; /* of the descriptor, or the stream's offset */
  struct stdio_mark before;
};

void stdio_scan_begin(struct stdio_stream *stream, const char *format, struct stdio_scan *scan);
void stdio_parse_begin(struct stdio_stream *stream, struct stdio_scan *scan);
void stdio_wide_scan_begin(struct stdio_stream *stream, struct stdio_scan *scan);
/* Counts the read that has begun with *scan. With the result EOF it counts only if bytes were
 * read. */
void stdio_scanned(struct stdio_stream *stream, const struct stdio_scan *scan, int result,
                   uint64_t t1, uint64_t t2);

/* Parts of the functions above. stdio_lend_offset begins to measure by the stream's own offset,
 * which counts from 0 if libc does not know it; stdio_scan_refills returns the bytes that a call
 * moved through the descriptor, -1 if unknown; stdio_output_waiting returns the bytes that are not
 * flushed yet. */
void stdio_lend_offset(struct stdio_stream *stream, struct stdio_scan *scan);
int64_t stdio_scan_refills(const struct stdio_stream *stream, const struct stdio_scan *scan);
int64_t stdio_output_waiting(struct stdio_stream *stream);

void stdio_wide_print_begin(struct stdio_stream *stream, struct stdio_scan *scan);
void stdio_wide_printed(struct stdio_stream *stream, const struct stdio_scan *scan, int characters,
                        uint64_t t1, uint64_t t2);

/* scan-glibc.c, scan-musl.c: measure what the C library reads and writes during a call. */

/* Return numbers of bytes: refills_area, the bytes with which the last refill filled the buffer;
 * refills_bytes_waiting, the bytes of the buffer that are still to be read;
 * refills_characters_waiting, the same for a stream of wide characters. */
int64_t refills_area(const FILE *file);
int64_t refills_bytes_waiting(const FILE *file);
int64_t refills_characters_waiting(struct stdio_stream *stream);
/* Returns 1 if SCAN_BY_MARK is exact for this call. */
int refills_may_be_marked(const FILE *file, const char *format);
/* Begins to count the refills of a call, and stores in *scan how: by a marker, the descriptor's
 * position or the stream's offset. */
void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan);

#endif
