/* Names of logs that the `darshan` command makes, in the runtime's form
 * (runtime/job/text/logname.h):
 * <user>_<program>_id<job>-<pid>_<month>-<day>-<second>-<unique>_<seconds>.darshan */
#ifndef DARSHAN_FRONT_LOG_NAME_H
#define DARSHAN_FRONT_LOG_NAME_H

#include <limits.h>
#include <stdint.h>

struct log_name {
  const char *start; /* <user>_<program>_id<job>, start_length bytes */
  int start_length;
  int64_t pid, start_sec;
  uint64_t unique;
};

/* Writes the path of a log with this name in the folder. Returns 0, or -1 if the path is too long.
 */
int log_name_path(char out[PATH_MAX], const char *folder, const struct log_name *name);

/* Writes the start of the name for a program with this command line. */
void log_name_start(char out[NAME_MAX], const char *command, int64_t job);

/* Renames the log at `from` to `path`, or if numbered to the first free name of path, path.2,
 * path.3 and so on. Copies it to another file system. path becomes the final name. Returns 0, or -1
 * with errno set; the log is then unmoved. */
int log_name_give(const char *from, char path[PATH_MAX], int numbered);

#endif
