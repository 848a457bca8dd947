/* Ways to be called at the end of a process: musl calls destructors after all that was
 * registered, in the order in which it has started the libraries turned round, and what
 * is registered then not any more. */
#ifndef DARSHAN_LIBC_EXIT_H
#define DARSHAN_LIBC_EXIT_H

#include <stdlib.h>

static void (*libc_quick)(void *);

static inline void libc_run_quick(void) {
  libc_quick(NULL);
}
static inline void libc_at_quick_exit(void (*function)(void *)) {
  libc_quick = function;
  at_quick_exit(libc_run_quick);
}
static inline int libc_at_exit(void (*function)(int, void *)) {
  (void)function;
  return 0;
}
static inline int libc_after_destructors(void (*function)(void *)) {
  (void)function;
  return 0;
}

#endif
