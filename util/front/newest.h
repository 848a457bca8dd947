/* Finds the newest logs of this user where programs leave their logs. */
#ifndef DARSHAN_FRONT_NEWEST_H
#define DARSHAN_FRONT_NEWEST_H

#include "path-list.h"

/* Adds the folders that logs go to: DARSHAN_LOGPATH if it is set. Otherwise ./darshan-logs, and the
 * folder of the configuration, which is darshan-logs in the home folder by default. */
void newest_folders(struct path_list *folders);

/* Adds the newest logs in the folders, and in folders of days below them, at most `most`, the
 * newest first. Logs of other users are skipped. */
void newest_logs(struct path_list *logs, const struct path_list *folders, size_t most);

/* Prints that no folder has a log of this user. */
void newest_say_none(const char *command, const struct path_list *folders);

/* Returns the newest log after a line on stderr that names it, or NULL after a message. The caller
 * frees it. command: begins both lines. */
char *newest_log(const char *command);

/* Returns 1 if the arguments of a command that reads one log name none, so that the newest log is
 * meant. argv[0] is not an argument. */
int newest_is_meant(const char *word, int argc, char *const *argv);

#endif
