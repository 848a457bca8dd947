/* The functions of stream.c, compiled without libdeflate under other names, so that a test can
 * compare them with those that use it. */
#ifndef DARSHAN_TEST_BY_STEPS_H
#define DARSHAN_TEST_BY_STEPS_H

#include "reader.h"

int by_steps_open(struct darshan_stream *stream, const struct darshan_file *file,
                  struct darshan_region region, int compression, struct darshan_error *error);
size_t by_steps_read(struct darshan_stream *stream, void *buffer, size_t n);
void by_steps_close(struct darshan_stream *stream);

#endif
