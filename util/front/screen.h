/* The screen of `darshan stat`: at most 24 lines of 80 columns on stderr. */
#ifndef DARSHAN_FRONT_SCREEN_H
#define DARSHAN_FRONT_SCREEN_H

#include "picture.h"

/* last_line: printable text of where the logs are; NULL: none.  Headings are
 * bold where stderr is a terminal and NO_COLOR is not set. */
void screen_print(const struct picture *picture, const char *last_line);

#endif
