/* A program that makes one call to test. It stops (int3) immediately before and after the call, so
 * that the tracer knows which instructions belong to the call. Then it makes more than 100 further
 * calls and ends. */
#ifndef DARSHAN_INTERRUPT_TARGET_H
#define DARSHAN_INTERRUPT_TARGET_H

#include <sys/types.h>

/* The actions of the signal handler, one letter each. */
enum action {
  ACTION_IO = 'a',     /* I/O on the same file */
  ACTION_JUMP = 'b',   /* leaves by siglongjmp */
  ACTION_EXIT = 'c',   /* calls _exit */
  ACTION_FORK = 'd',   /* forks; parent and child do I/O, the child exits */
  ACTION_CANCEL = 'e', /* the thread is cancelled asynchronously */
  ACTION_KILL = 'f'    /* no handler: SIGKILL */
};

enum { STATUS_OF_EXIT = 7, BLOCK = 100, BEFORE = 10, AFTER = 100 };

struct kind {
  const char *name;
  void (*prepare)(void);
  void (*call)(void);
  int first; /* the call is the first of the process: no I/O precedes it */
};

/* The kinds of this program; the last entry has a NULL name. */
extern const struct kind target_kinds[];
/* target_begin initializes the libraries that the program uses, before any other I/O. target_end
 * makes the last calls of these libraries, after all other I/O. */
void target_begin(void);
void target_end(void);

/* The data file, which the calls and the handlers use. */
extern int data_fd;
/* Returns the result of a call that must succeed; ends the program if it is negative. */
long must(long result);

#endif
