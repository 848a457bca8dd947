/* Arguments of constructors: glibc passes main's arguments to them. */
#ifndef DARSHAN_LIBC_START_H
#define DARSHAN_LIBC_START_H

static inline void libc_arguments(int *argc, char ***argv, char ***envp) {
  (void)argc, (void)argv, (void)envp;
}

#endif
