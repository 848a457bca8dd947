/* The runtime's work before an exec: predicting success, the environment for the next program, and
 * libraries opened with RTLD_DEEPBIND. */
#ifndef DARSHAN_EXEC_H
#define DARSHAN_EXEC_H

#include "../../intercept/real.h"

/* The environment that libc's exec functions use. Declared here because not every libc declares it.
 * An application may define `environ`, but not this name. */
extern char **__environ;

/* Prediction for an exec of a path (exec_may_work) or of a name that is searched in PATH. If it
 * will succeed, the log is written before the exec; if it fails nevertheless, the log is removed
 * again. */
enum exec_kind {
  EXEC_FAILS,
  EXEC_UNWATCHED, /* the next program will leave no records (unwatched.h) */
  EXEC_WATCHED    /* the next program will leave records, or this process belongs to no run */
};
enum exec_kind exec_may_work(const char *path);
enum exec_kind exec_in_path(const char *file);
/* Predicts the exec of execveat(dirfd, path, flags) or fexecve, and returns the same values as
 * exec_may_work. Returns EXEC_FAILS only if path is not mapped, or is empty without AT_EMPTY_PATH.
 * dirfd: descriptor of the program, or of the folder in which path begins. */
enum exec_kind exec_at(int dirfd, const char *path, int flags);

/* Returns the environment for the program that this thread has just checked: envp or, if the
 * program's loader refuses this library, a copy without this library (environment_without_us in
 * unwatched.h). */
char *const *exec_environment(char *const *envp);

/* The next functions count libraries opened with RTLD_DEEPBIND. Their calls are not recorded,
 * because these libraries find libc's functions before the wrappers. */

/* Notes that a library is about to be opened with RTLD_DEEPBIND, which has the effect that its
 * calls will not be recorded. dlopen.S calls it before the library is opened, with the arguments of
 * dlopen. */
ANY_STACK void deepbind_note(const char *file, int flags) __attribute__((visibility("hidden")));
/* Counts each noted library that is now loaded, but only once (lost_state). Called before the
 * application unloads a library, and when recording ends. */
void deepbind_look(void);

#endif
