/* Runs a program under ptrace, stops at each system call that code of the runtime
 * itself makes, and lets one of them fail. */
#ifndef DARSHAN_FAULTS_H
#define DARSHAN_FAULTS_H

#include <stddef.h>

#include "../interrupt/driver.h"

enum { SHORT = -1, DELAYED = -2, NO_FAULT = 0, MOST_CALLS = 4096 };

/* --- errors.c: what a call can fail with ------------------------------------------- */
/* The e-th error of a system call, NO_FAULT behind the last one. */
int error_of(long call, unsigned e);
const char *call_name(long call);

/* --- trace.c: a run ------------------------------------------------------------------ */
struct fault {
  unsigned n; /* the n-th call of the runtime, from 1; 0: none */
  int error;
  long expected; /* which call it should be, -1: any */
  long call;     /* which one it was; -1: it did not come to it */
  unsigned at;   /* where, from the start of the code */
  unsigned wait; /* milliseconds, where it is DELAYED */
};
struct run {
  int status, hung;
  unsigned calls;
  long call[MOST_CALLS]; /* the runtime's own, in order */
};
/* bare: without the runtime. */
void run_program(struct run *run, const struct place *place, const char *mode, int bare,
                 struct fault *fault);

/* --- judge.c: is it right? ------------------------------------------------------------ */
struct verdict {
  char why[600];  /* empty: all is well */
  char line[600]; /* what was said */
  int whole;      /* the log has everything */
};
/* What the same program leaves when nothing fails, twice. */
struct expected {
  struct result bare, one, two;
  unsigned logs; /* how many files */
};
unsigned count_logs(const struct place *place);
void judge(struct verdict *verdict, const struct expected *expected, const struct place *place,
           const struct run *run);

#endif
