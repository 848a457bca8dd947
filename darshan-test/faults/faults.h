/* Runs a program under ptrace, stops at each system call that code of the runtime
 * itself makes, and lets one of them fail. */
#ifndef DARSHAN_FAULTS_H
#define DARSHAN_FAULTS_H

#include <stddef.h>
#include <string.h>

#include "../interrupt/driver.h"

enum { SHORT = -1, DELAYED = -2, NOTHING = -3, NO_FAULT = 0, MOST_CALLS = 4096 };

/* What is run: a mode of target.c, by itself or as a job of two ranks, of which one is
 * looked at. */
struct program {
  const char *name, *mode, *with; /* what target.c is built with; "": nothing */
  int rank;                       /* of a job */
  const char *setting;
};
static inline int is_job(const struct program *program) {
  return program->with[0] && strcmp(program->with, "daos") != 0;
}

/* --- errors.c: what a call can fail with ------------------------------------------- */
/* The e-th error of a system call, NO_FAULT behind the last one. */
int error_of(long call, unsigned e);
const char *call_name(long call);
const char *error_name(int error);

/* --- trace.c: a run ------------------------------------------------------------------ */
struct fault {
  unsigned n; /* the n-th call of the runtime where nothing fails, from 1; 0: none */
  /* Which is the turn-th of this system call: others may come in between, since
   * threads and ranks are not as fast each time. */
  long expected;
  unsigned turn;
  int error;
  long call;     /* which one it was; -1: it did not come to it */
  unsigned at;   /* where, from the start of the code */
  unsigned wait; /* milliseconds, where it is DELAYED */
  int lasting;   /* ... and every later call of this kind, too */
};
struct run {
  int status, hung;
  char where[400]; /* it hung: what its threads were at */
  unsigned calls;
  long call[MOST_CALLS]; /* the runtime's own, in order */
};
/* bare: without the runtime. */
void run_program(struct run *run, const struct place *place, const struct program *program,
                 int bare, struct fault *fault);

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
