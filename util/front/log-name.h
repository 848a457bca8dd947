/* Names of logs that the front makes, in the form that the runtime gives its own
 * (runtime/job/logname.h):
 * <user>_<program>_id<job>-<pid>_<month>-<day>-<second>-<unique>_<seconds>.darshan */
#ifndef DARSHAN_FRONT_LOG_NAME_H
#define DARSHAN_FRONT_LOG_NAME_H

#include <limits.h>
#include <stdint.h>

struct log_name {
  const char *start; /* <user>_<program>_id<job>, of so many bytes */
  int start_length;
  int64_t pid, start_sec;
  uint64_t unique;
};

/* 0, or -1: it is too long. */
int log_name_path(char out[PATH_MAX], const char *folder, const struct log_name *name);

/* The start of it for a program with this command line. */
void log_name_start(char out[NAME_MAX], const char *command, int64_t job);

/* Gives the log at `from` the name `path`, or, if that may be numbered, the first of .2,
 * .3 and so on that is free; onto another file system it is copied.  path becomes what
 * it is called.  0, or -1 with errno set: it is where it was. */
int log_name_give(const char *from, char path[PATH_MAX], int numbered);

#endif
