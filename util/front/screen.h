/* The screen of `darshan stat`: at most 20 lines of 80 columns on stderr, so
 * that the findings and where the logs are find room below. */
#ifndef DARSHAN_FRONT_SCREEN_H
#define DARSHAN_FRONT_SCREEN_H

#include "picture.h"

/* Headings are bold where stderr is a terminal and NO_COLOR is not set. */
void screen_print(const struct picture *picture);

#endif
