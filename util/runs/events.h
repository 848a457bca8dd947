/* Declares functions that read the event file of a run, `events`, and its continuation files; no
 * byte is trusted. They also remove the name files in the same folder. */
#ifndef DARSHAN_RUNS_EVENTS_H
#define DARSHAN_RUNS_EVENTS_H

#include <stddef.h>

#include "../../runtime/format/run.h"

/* Upper bound for all times of a run, in nanoseconds since the epoch: a time in the year 2116. */
static const int64_t RUN_TIME_MOST = INT64_C(1) << 62;

/* Calls `take` for each complete row of a known kind, in the order of the file. Rows of several
 * files are merged by time. The strings of a row then end in NUL and may be truncated. Skips
 * truncated and foreign rows and bytes between rows. Returns 0. Returns -1 if the file is missing
 * or unreadable, or `take` returned a negative value. */
int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context);

/* Returns 1 for the name of a file with rows, otherwise 0. */
int events_is_file(const char *entry);
void events_remove(int folder);

/* Returns 1 for the name of a name file, otherwise 0. A name file has the name of an inherited
 * file, for a process of the run. */
int events_is_name(const char *entry);
/* Removes the name files of a folder if there are more than `most`. Processes work without name
 * files, so `most` is 0 after the run. */
void events_remove_names(const char *folder, size_t most);

#endif
