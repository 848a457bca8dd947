/* Runs a program under ptrace, stops it at each system call that the runtime's code makes, and lets
 * one of them fail. */
#ifndef DARSHAN_FAULTS_H
#define DARSHAN_FAULTS_H

#include <stddef.h>
#include <string.h>

#include "../interrupt/driver.h"

/* Faults that are not errors: a transfer of a part, a delay, and a transfer of nothing. */
enum { SHORT = -1, DELAYED = -2, NOTHING = -3, NO_FAULT = 0, MOST_CALLS = 4096 };

/* A program of the fault tests: a mode of target.c, alone or as one rank of a job of two. */
struct program {
  const char *name, *mode, *with; /* with: the library that target.c is built with; "": none */
  int rank;                       /* of a job: the rank whose calls are counted */
  const char *setting;            /* NAME=VALUE, for the program's environment; "": none */
};
/* Returns 1 if the program runs as a job of two ranks, otherwise 0. */
static inline int is_job(const struct program *program) {
  return program->with[0] && strcmp(program->with, "daos") != 0;
}

/* --- errors.c: what a call can fail with ------------------------------------------- */

/* Returns the fault number e (from 0) of the system call with this number: first its errors in
 * errors.def as errno values, then DELAYED, then NO_FAULT for every larger e. */
int error_of(long call, unsigned e);
/* Returns the name of a system call; "call NUMBER" if it cannot fail. */
const char *call_name(long call);
/* Returns the name of a fault, such as "EIO" or "short". */
const char *error_name(int error);

/* --- trace.c: a run ------------------------------------------------------------------ */

/* One fault of one run, and the call that it met. */
struct fault {
  unsigned n; /* index of the call in a run without faults, from 1; 0: none */
  /* The fault hits the turn-th call with this number. Other calls may come in between, because the
   * speed of threads and ranks varies. */
  long expected;
  unsigned turn;
  int error;
  long call;     /* the call that failed; -1: not reached */
  unsigned at;   /* its address, from the start of the code */
  unsigned wait; /* milliseconds, for DELAYED */
  int lasting;   /* later calls of this kind fail, too */
};
/* How a run went. status: as of waitpid; -1: the program did not end. */
struct run {
  int status, hung;
  char where[400]; /* after a hang: the state of its threads */
  unsigned calls;
  long call[MOST_CALLS]; /* the runtime's calls, in order */
};
/* Runs a program once, traced, and waits for its end. *fault says which call fails and how
 * (fault->expected -1: none). bare: without the runtime. Sets fault->call (the system call's
 * number) and fault->at (the offset of its instruction in the runtime's code), and fills *run. */
void run_program(struct run *run, const struct place *place, const struct program *program,
                 int bare, struct fault *fault);

/* --- judge.c: is it right? ------------------------------------------------------------ */

/* The judgement of a run with a fault. */
struct verdict {
  char why[600];  /* empty: the result is right */
  char line[600]; /* the runtime's message */
  int whole;      /* the log is complete */
};
/* The results of a program without a fault: bare, which is without the runtime, and of two runs
 * with it, whose differences show what varies. */
struct expected {
  struct result bare, one, two;
  unsigned logs; /* number of files */
};
/* Returns the number of logs in the place. */
unsigned count_logs(const struct place *place);
/* Judges a run with a fault by the files that it left in the place. */
void judge(struct verdict *verdict, const struct expected *expected, const struct place *place,
           const struct run *run);

#endif
