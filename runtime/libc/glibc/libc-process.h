/* Start and end of a process: the arguments of constructors, and functions that glibc calls at
 * exit. */
#ifndef DARSHAN_LIBC_PROCESS_H
#define DARSHAN_LIBC_PROCESS_H

/* Does nothing: glibc passes main's arguments to constructors. */
static inline void libc_arguments(int *argc, char ***argv, char ***envp) {
  (void)argc, (void)argv, (void)envp;
}

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern int on_exit(void (*function)(int status, void *argument), void *argument);
extern int __cxa_at_quick_exit(void (*function)(void *), void *library);

static inline void libc_at_quick_exit(void (*function)(void *)) {
  __cxa_at_quick_exit(function, (void *)0);
}
/* Registers a function that libc calls at exit with the exit status. Returns 1, or 0 if libc
 * cannot register it. */
static inline int libc_at_exit(void (*function)(int, void *)) {
  return on_exit(function, (void *)0) == 0;
}
/* Makes libc call the function after all other destructors. Called by a destructor of a static
 * program. Returns 1, or 0 if libc cannot register it. */
static inline int libc_after_destructors(void (*function)(void *)) {
  return __cxa_atexit(function, (void *)0, (void *)0) == 0;
}

#endif
