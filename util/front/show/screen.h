/* Prints the summary of `darshan stat`, as text on stderr or as data. The text has about 20 lines
 * of the terminal's width, so that the findings and the path of the log fit below. In the code, the
 * summary is a struct picture (summary/summary.h). */
#ifndef DARSHAN_FRONT_SCREEN_H
#define DARSHAN_FRONT_SCREEN_H

#include "../summary/summary.h"
#include <stdio.h>

/* Returns the run time in seconds, from the start of the first process to the last end. If the log
 * has no end, returns the time that `darshan stat` measured. */
double screen_run_time(const struct picture *picture);

/* Prints the summary on stderr. Headings are bold if stderr is a terminal and NO_COLOR is not set.
 * Returns the number of lines. */
int screen_print(const struct picture *picture);

/* Prints the summary as one line of JSON. */
void stat_json(FILE *out, const struct picture *picture);

/* Prints the numbers of the summary for other programs, one per row: value, unit and name, with the
 * separator between them. The unit may be empty; an unknown value is "<not known>". */
void stat_rows(FILE *out, const struct picture *picture, const char *separator);

#endif
