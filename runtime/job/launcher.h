/* Programs that start the ranks of a job. */
#ifndef DARSHAN_LAUNCHER_H
#define DARSHAN_LAUNCHER_H

#include <stdbool.h>

/* Is this process one, by the name it was started by?  program: that of argv; more: names
 * that count besides those of launcher-names.def. */
bool darshan_is_launcher(const char *program, const char *const *more, int count);
/* Is it what a batch system runs before or after a task, with the task's environment? */
bool darshan_is_beside_tasks(const char *program);

#endif
