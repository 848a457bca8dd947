/* Recognizes programs that start the ranks of a job. */
#ifndef DARSHAN_LAUNCHER_H
#define DARSHAN_LAUNCHER_H

#include <stdbool.h>

/* Returns true if this process is a launcher by its name.  program: the last component of argv[0];
 * more: names in addition to launcher-names.def. */
bool darshan_is_launcher(const char *program, const char *const *more, int count);
/* Returns true if a batch system runs this process before or after a task, with the task's
 * environment. */
bool darshan_is_beside_tasks(const char *program);

#endif
