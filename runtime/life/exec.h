/* Before a process image is replaced. */
#ifndef DARSHAN_EXEC_H
#define DARSHAN_EXEC_H

/* The environment as libc's exec functions take it: its own name, since programs may define
 * environ.  Not every libc declares it. */
extern char **__environ;

/* Is an exec of this path, or of this name by way of PATH, likely to succeed?  The log
 * is then written before; a wrong guess is repaired. */
enum exec_kind {
  EXEC_FAILS,
  EXEC_UNWATCHED, /* the next program will tell nothing (watched.h) */
  EXEC_WATCHED
};
enum exec_kind exec_may_work(const char *path);
enum exec_kind exec_in_path(const char *file);
/* The same of a descriptor, or of a path from a folder's; flags: as of execveat. */
enum exec_kind exec_at(int dirfd, const char *path, int flags);

/* The environment for what this thread has just asked about by one of the three: envp, or, for a
 * program that this library would keep from starting, another one (environment.h). */
char *const *exec_environment(char *const *envp);

#endif
