/* Finds the newest logs of this user, and makes the names of new logs. */
#ifndef DARSHAN_FRONT_LOGS_H
#define DARSHAN_FRONT_LOGS_H

#include <limits.h>
#include <stdint.h>

#include "path-list.h"

/* Adds the folders where logs are written: DARSHAN_LOGPATH if it is set. Otherwise ./darshan-logs,
 * and the configured folder, which is darshan-logs in the home folder by default. */
void newest_folders(struct path_list *folders);

/* Adds the newest logs in the folders, and in folders of days below them, at most `most`, the
 * newest first. Skips logs of other users. */
void newest_logs(struct path_list *logs, const struct path_list *folders, size_t most);

/* Prints that none of the folders has a log of this user. */
void newest_say_none(const char *command, const struct path_list *folders);

/* Returns the newest log, and prints its name in a line on stderr; returns NULL after a message if
 * there is none. The caller frees the path. command: beginning of both lines. */
char *newest_log(const char *command);

/* Returns 1 if the arguments of a command that reads one log do not name a log, so that the newest
 * log is used. argv[0] is not an argument. Otherwise returns 0. */
int newest_is_meant(const char *word, int argc, char *const *argv);

/* The name of a log that the `darshan` command makes, in the runtime's form
 * (runtime/job/text/logname.h):
 * <user>_<program>_id<job>-<pid>_<month>-<day>-<second of the day>-<unique>_1.darshan */

struct log_name {
  const char *start; /* <user>_<program>_id<job>, start_length bytes */
  int start_length;
  int64_t pid, start_sec; /* of the process; its start, seconds since the epoch */
  uint64_t unique;        /* distinguishes logs with otherwise equal names */
};

/* Writes the path of a log with this name in the folder; does not create it. Returns 0, or -1 if
 * the path is too long or start_sec is no valid time. */
int log_name_path(char out[PATH_MAX], const char *folder, const struct log_name *name);

/* Writes the start of the name of a log, <user>_<program>_id<job>, for a program with this command
 * line. job: the job's id. */
void log_name_start(char out[NAME_MAX], const char *command, int64_t job);

/* Renames the log at `from` to `path` or, if numbered is 1, to the first free name of path, path.2,
 * path.3 and so on. If path is on another file system, copies the log. Sets path to the final name.
 * Returns 0, or -1 with errno set, for example EEXIST if numbered is 0 and the name is in use; the
 * log is then still at `from`. */
int log_name_give(const char *from, char path[PATH_MAX], int numbered);

#endif
