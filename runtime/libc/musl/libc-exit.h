/* Registers functions that musl calls at exit. musl calls destructors after all registered
 * functions, in the reverse order in which it initialized the libraries. A function that is
 * registered during the destructors is not called. */
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
