/* Declares functions that read the event file of a run, `events`, and its continuation files; no
 * byte is trusted. They also remove the name files in the same folder. */
#ifndef DARSHAN_RUNS_EVENTS_H
#define DARSHAN_RUNS_EVENTS_H

#include <stddef.h>

#include "../../runtime/format/run.h"

/* Upper bound for all times of a run, in nanoseconds since the epoch: a time in the year 2116. */
static const int64_t RUN_TIME_MOST = INT64_C(1) << 62;

/* Calls `take` for each complete row of a known kind, in the order of the file. folder: descriptor
 * of the run directory. Rows of several files are merged by time. The strings of a row end in NUL
 * and may be truncated. Skips truncated rows, and bytes that are not a row. If `take` returns a
 * negative value, stops. Returns 0; -1 if the first file is missing or unreadable, or if `take`
 * returned a negative value. Not thread-safe. */
int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context);

/* Returns 1 if a directory entry has the name of an event file (`events`, `events.1`, ...),
 * otherwise 0. */
int events_is_file(const char *entry);
/* Removes the event files from the run directory with this descriptor. Ignores errors. */
void events_remove(int folder);

/* Returns 1 if a directory entry has the name of a name file, otherwise 0. A name file tells a
 * process of the run the path of a file whose descriptor it inherited. */
int events_is_name(const char *entry);
/* Removes all name files of the folder at this path if there are more than `most`; otherwise none.
 * Processes work without name files, so `most` is 0 after the run. Ignores errors. */
void events_remove_names(const char *folder, size_t most);

#endif
