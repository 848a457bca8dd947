/* What kind of program this process runs: a launcher, which starts the ranks of a job (launcher.c);
 * its language, in which reports give code examples (language.c). */
#ifndef DARSHAN_PROGRAM_H
#define DARSHAN_PROGRAM_H

#include <stdbool.h>

/* Returns true if this process is a launcher by its name.  program: the last component of argv[0];
 * more: names in addition to launcher-names.def. */
bool darshan_is_launcher(const char *program, const char *const *more, int count);
/* Returns true if a batch system runs this process before or after a task, with the task's
 * environment. */
bool darshan_is_beside_tasks(const char *program);

/* Returns "C", "C++", "Fortran", "Rust", "Go" or "Fortran,C++", or "" if it cannot be determined,
 * as in a static program.  Considers the executable's own notes and needed libraries (DT_NEEDED),
 * but not what those libraries need. */
const char *darshan_language(void) __attribute__((visibility("hidden")));

#endif
