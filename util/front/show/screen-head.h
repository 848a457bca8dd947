/* Prints the first lines of the summary of `darshan stat` on stderr: the command, times, data that
 * the log lacks, and the programs of a run. The summary is a struct picture. */
#ifndef DARSHAN_FRONT_SCREEN_HEAD_H
#define DARSHAN_FRONT_SCREEN_HEAD_H

#include "../summary/summary.h"
#include "lines.h"

/* Prints the command, the run time, the I/O share, and the data that the log lacks. */
void screen_head(struct screen *screen, const struct picture *picture);

/* Prints the programs of a run: those with most time in I/O, those that were not instrumented, and
 * those that failed. */
void screen_programs(struct screen *screen, const struct picture *picture);

#endif
