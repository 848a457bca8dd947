/* The rows of a run's `events` and the files that follow it, of which no byte is trusted, and the
 * names of files that lie beside it. */
#ifndef DARSHAN_RUNS_EVENTS_H
#define DARSHAN_RUNS_EVENTS_H

#include <stddef.h>

#include "../../runtime/format/run.h"

/* No time of a run is as late, in nanoseconds: it is in the year 2116. */
static const int64_t RUN_TIME_MOST = INT64_C(1) << 62;

/* Calls back for each row that is whole and of a kind that is known, in the order of
 * the file, of several by time; its texts end in NUL then, cut if they were full.  A row that is
 * cut off or foreign is passed by, and so are bytes between rows.  0, or -1: the file is not there,
 * or cannot be read, or take said so. */
int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context);

/* One of the files of rows. */
int events_is_file(const char *entry);
void events_remove(int folder);

/* A name that a file has in the run. */
int events_is_name(const char *entry);
/* Nobody will ask for them any more; or there are more than `most`, and who asks can do
 * without. */
void events_remove_names(const char *folder, size_t most);

#endif
