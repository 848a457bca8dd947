/* Reads the event file of a run, `events`, and the files that continue it; no byte is trusted. Also
 * removes the name files next to it. */
#ifndef DARSHAN_RUNS_EVENTS_H
#define DARSHAN_RUNS_EVENTS_H

#include <stddef.h>

#include "../../runtime/format/run.h"

/* All times of a run are earlier, in nanoseconds since the epoch: this is in the year 2116. */
static const int64_t RUN_TIME_MOST = INT64_C(1) << 62;

/* Calls `take` for each complete row of a known kind, in the order of the file; rows of several
 * files are merged by time. The strings of a row then end in NUL and may be truncated. Skips
 * truncated and foreign rows and bytes between rows. Returns 0, or -1 if the file is missing or
 * unreadable or `take` returned a negative value. */
int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context);

/* Returns 1 for the name of a file with rows. */
int events_is_file(const char *entry);
void events_remove(int folder);

/* Returns 1 for a name file: the name of an inherited file, for a process of the run. */
int events_is_name(const char *entry);
/* Removes the name files if there are more than `most`, which is 0 after the run: processes can do
 * without them. */
void events_remove_names(const char *folder, size_t most);

#endif
