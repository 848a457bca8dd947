/* Inside the STDIO module. */
#ifndef DARSHAN_STREAMS_H
#define DARSHAN_STREAMS_H

#include "stdio-module.h"

/* Follows a stream from now on under this name; NULL: too many. */
struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name);

#endif
