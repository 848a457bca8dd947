/* Text for a terminal: names of files and programs are data of strangers. */
#ifndef DARSHAN_FRONT_SAY_H
#define DARSHAN_FRONT_SAY_H

#include <stddef.h>

/* Copies text so that it can neither steer a terminal nor break a line:
 * whatever does not print in the locale comes out as \xNN.  At most `columns`
 * wide, longer text loses its start ("...end"), or its end if keep_end is 0.
 * Returns the columns used.  room: bytes of out, 4 per column are enough. */
size_t say_printable(char *out, size_t room, const char *text, size_t columns, int keep_end);

/* One line on stderr, "darshan: " before it. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { SAY_ROOM = 1024 };
/* A path for a message: printable, cut where it is very long.  One of four
 * buffers that are used in turn. */
const char *say_path(const char *path);

#endif
