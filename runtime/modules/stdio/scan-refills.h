/* What the C library read and wrote by itself during a call: a file per library. */
#ifndef DARSHAN_STDIO_REFILLS_H
#define DARSHAN_STDIO_REFILLS_H

#include "scan.h"

/* What waits in the buffers now: bytes that the buffer was filled with; bytes to be
 * read; the same of a stream of wide characters. */
int64_t refills_area(const FILE *file);
int64_t refills_bytes_waiting(const FILE *file);
int64_t refills_characters_waiting(struct stdio_stream *stream);
/* 1: SCAN_BY_MARK would be right for this call. */
int refills_may_be_marked(const FILE *file, const char *format);
/* Refills are counted from now on, by what the call allows. */
void refills_begin(struct stdio_stream *stream, struct stdio_scan *scan);

#endif
