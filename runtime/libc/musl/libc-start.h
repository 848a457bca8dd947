/* What constructors are told: musl tells them nothing.  The kernel has put the words of
 * the command line before the environment, and their number before them. */
#ifndef DARSHAN_LIBC_START_H
#define DARSHAN_LIBC_START_H

#include <stdint.h>
#include <unistd.h>

static inline void libc_arguments(int *argc, char ***argv, char ***envp) {
  char **at = environ - 1; /* the end of the words */
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
