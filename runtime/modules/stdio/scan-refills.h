/* Measures what the C library reads and writes during a call; one source file for each library. */
#ifndef DARSHAN_STDIO_REFILLS_H
#define DARSHAN_STDIO_REFILLS_H

#include "scan.h"

/* Return numbers of bytes in the buffers: those that filled the buffer; those that are still to
 * be read; those still to be read of a stream of wide characters. */
int64_t refills_area(const FILE *file);
int64_t refills_bytes_waiting(const FILE *file);
int64_t refills_characters_waiting(struct stdio_stream *stream);
/* Returns 1 if SCAN_BY_MARK is exact for this call. */
int refills_may_be_marked(const FILE *file, const char *format);
/* Begins to count refills, in a way that the stream allows. */
void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan);

#endif
