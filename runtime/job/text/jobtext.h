/* Writes the text parts of the job region: command line, mount table, metadata. */
#ifndef DARSHAN_JOBTEXT_H
#define DARSHAN_JOBTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "log-format.h"

/* Bytes that readers accept after the fixed part of the job region, NUL included. */
enum { DARSHAN_JOB_TEXT_ROOM = DARSHAN_JOB_REGION_MAX - (int)sizeof(struct darshan_job) };

/* Writes the command line of this process and its mount table in the form of the job region: valid
 * UTF-8, at least one mount entry, no newline at the end. Without with_mounts it does not read the
 * mount table: the kernel takes 50 to 100 us for it, and readers need it only to find the mount
 * points of files. room: at least 512, normally DARSHAN_JOB_TEXT_ROOM. Returns the length without
 * the NUL. */
size_t darshan_job_text(char *out, size_t room, bool with_mounts);

/* Writes the text that darshan_job_text writes, from a given command line and mount table. cmdline:
 * in the form of /proc/self/cmdline, in which arguments end in NUL. mounts: in the form of
 * /proc/self/mounts. Returns the length without the NUL. */
size_t darshan_job_text_from(char *out, size_t room, const char *cmdline, size_t cmdline_length,
                             const char *mounts, size_t mounts_length);

/* Appends "key=value\n" to the metadata, which has `used` bytes so far.  Replaces control bytes and
 * invalid UTF-8 in value.  Skips a line that does not fit into room (NUL included).  Returns the
 * new length. */
size_t darshan_metadata_add(char *metadata, size_t room, size_t used, const char *key,
                            const char *value);

/* Removes the lines of this key from the metadata. */
void darshan_metadata_drop(char *metadata, const char *key);

/* The job record of this process, and the text that follows it in the log (darshan_job_text). */
struct job_state {
  struct darshan_job job;
  size_t text_length;
  char text[DARSHAN_JOB_TEXT_ROOM]; /* last, because most processes touch only its beginning */
};
extern struct job_state job_state __attribute__((visibility("hidden")));

#endif
