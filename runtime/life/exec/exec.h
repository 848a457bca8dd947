/* Before an exec: its checks, the environment for the next program, and libraries opened with
 * RTLD_DEEPBIND. */
#ifndef DARSHAN_EXEC_H
#define DARSHAN_EXEC_H

#include "../../intercept/real.h"

/* The environment that libc's exec functions use.  An application may define `environ`, but not
 * this name.  Not every libc declares it. */
extern char **__environ;

/* Whether an exec of this path, or of this name along PATH, is likely to succeed.  If so, the log
 * is written before; a wrong guess is undone when the exec fails. */
enum exec_kind {
  EXEC_FAILS,
  EXEC_UNWATCHED, /* the next program will leave no records (unwatched.h) */
  EXEC_WATCHED
};
enum exec_kind exec_may_work(const char *path);
enum exec_kind exec_in_path(const char *file);
/* Like exec_may_work, for execveat(dirfd, path, flags) and fexecve: the program is the file of a
 * descriptor, or a path relative to a folder's descriptor. */
enum exec_kind exec_at(int dirfd, const char *path, int flags);

/* Returns the environment for the program that this thread has just checked: envp, or, if the
 * program's loader refuses this library, a copy without it (environment.h). */
char *const *exec_environment(char *const *envp);

/* Libraries opened with RTLD_DEEPBIND.  They find libc's functions before the wrappers, so their
 * calls are not recorded. */

/* Called by dlopen.S before such a library is opened, with the arguments of dlopen. */
ANY_STACK void deepbind_note(const char *file, int flags) __attribute__((visibility("hidden")));
/* Counts each noted library that is now loaded, but only once (lost_state). Called before the
 * application unloads a library, and when recording ends. */
void deepbind_look(void);

#endif
