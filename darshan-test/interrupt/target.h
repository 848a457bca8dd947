/* A program of one call.  It stops (int3) right before the call and right after
 * it, so that whoever traces it knows which instructions belong to it; then it
 * makes 100 more calls and ends. */
#ifndef DARSHAN_INTERRUPT_TARGET_H
#define DARSHAN_INTERRUPT_TARGET_H

#include <sys/types.h>

/* What the signal's handler does, one letter each. */
enum action {
  ACTION_IO = 'a',     /* I/O on the same file */
  ACTION_JUMP = 'b',   /* leaves by siglongjmp */
  ACTION_EXIT = 'c',   /* calls _exit */
  ACTION_FORK = 'd',   /* forks; the child does I/O and exits, too */
  ACTION_CANCEL = 'e', /* its thread is cancelled, asynchronously */
  ACTION_KILL = 'f'    /* no handler: SIGKILL */
};

enum { STATUS_OF_EXIT = 7, BLOCK = 100, BEFORE = 10, AFTER = 100 };

struct kind {
  const char *name;
  void (*prepare)(void);
  void (*call)(void);
  int first; /* no I/O before the call: it is the first of the process */
};

/* Of this program; ends with a name NULL. */
extern const struct kind target_kinds[];
/* Before and after everything: for libraries that want to be opened and closed. */
void target_begin(void);
void target_end(void);

/* The file that everything is about. */
extern int data_fd;
/* Ends the program if an important call fails. */
long must(long result);

#endif
