/* Start and end of a process. musl calls destructors after all registered functions, in the reverse
 * order in which it initialized the libraries. A function that is registered during the destructors
 * is not called. */
#ifndef DARSHAN_LIBC_PROCESS_H
#define DARSHAN_LIBC_PROCESS_H

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Finds main's arguments, which musl does not pass to constructors. On the kernel's initial stack,
 * the argument count and the arguments are before the environment. */
static inline void libc_arguments(int *argc, char ***argv, char ***envp) {
  char **at = environ - 1; /* the end of the arguments */
  intptr_t n = 0;
  while ((intptr_t)at[-1] != n) {
    at--;
    n++;
  }
  *argc = (int)n;
  *argv = at;
  *envp = environ;
}

static void (*libc_quick)(void *);

static inline void libc_run_quick(void) {
  libc_quick(NULL);
}
static inline void libc_at_quick_exit(void (*function)(void *)) {
  libc_quick = function;
  at_quick_exit(libc_run_quick);
}
/* Returns 0: musl passes the exit status to no function. */
static inline int libc_at_exit(void (*function)(int, void *)) {
  (void)function;
  return 0;
}
/* Returns 0: musl calls no function after the destructors. */
static inline int libc_after_destructors(void (*function)(void *)) {
  (void)function;
  return 0;
}

#endif
