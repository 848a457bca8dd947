/* The text parts of the job region: command line, mount table, metadata. */
#ifndef DARSHAN_JOBTEXT_H
#define DARSHAN_JOBTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "log-format.h"

/* What readers accept after the fixed part of the job region, NUL included. */
enum { DARSHAN_JOB_TEXT_ROOM = DARSHAN_JOB_REGION_MAX - (int)sizeof(struct darshan_job) };

/* Writes the command line of this process and its mount table, in the form of
 * the job region: always valid UTF-8, always at least one mount entry, no
 * newline at the end.  The mount table takes the kernel 50 to 100 us: without
 * with_mounts it is not read, which will do where no name has to be placed.
 * room: at least 512, normally DARSHAN_JOB_TEXT_ROOM.  Returns the length
 * without the NUL. */
size_t darshan_job_text(char *out, size_t room, bool with_mounts);

/* The same from given bytes, for tests: a command line as in /proc (arguments
 * end in NUL) and a mount table as in /proc/self/mounts. */
size_t darshan_job_text_from(char *out, size_t room, const char *cmdline, size_t cmdline_length,
                             const char *mounts, size_t mounts_length);

/* Appends "key=value\n" to the metadata, which has used bytes so far.  Control
 * bytes and what is not UTF-8 are replaced in value.  A line that does not fit
 * into room (NUL included) is left out.  Returns the new length. */
size_t darshan_metadata_add(char *metadata, size_t room, size_t used, const char *key,
                            const char *value);

/* Takes out the line of this key. */
void darshan_metadata_drop(char *metadata, const char *key);

/* The job that the records of this process are about. */
struct job_state {
  struct darshan_job job;
  size_t text_length;
  char text[DARSHAN_JOB_TEXT_ROOM]; /* last: mostly only its beginning is touched */
};
extern struct job_state job_state __attribute__((visibility("hidden")));

#endif
