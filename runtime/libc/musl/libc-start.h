/* Arguments of constructors: musl passes none. On the kernel's initial stack, the argument count
 * and the arguments are before the environment. */
#ifndef DARSHAN_LIBC_START_H
#define DARSHAN_LIBC_START_H

#include <stdint.h>
#include <unistd.h>

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

#endif
