/* The program is about to restrict itself: by a seccomp filter, or by making it a
 * fault to read the processor's counter.  What the runtime will need is made ready;
 * behind a filter it makes no system call (sys-gate.h), and the journal is what is left
 * of the process. */
#ifndef DARSHAN_FILTER_H
#define DARSHAN_FILTER_H

enum {
  FILTER_CALLS = 1,
  FILTER_COUNTER = 2,
  FILTER_DISPATCH = 4 /* calls, by no filter: of other code than the program named */
};

/* What does syscall(number, a, b, ...) ask to be forbidden?  prctl(a, b) is number
 * SYS_prctl. */
int filter_is_asked(long number, long a, long b);
/* What it answered: is it forbidden now? */
int filter_is_there(long number, long flags, long result);

/* Before the call, in whichever thread, and after it. */
void filter_coming(int forbids);
void filter_find_functions(void);
void filter_answered(int forbids, int is_there);

/* What the settings say may be done under a filter that was inherited. */
void filter_look(void);
/* MPI_Init has made files, memory and sockets: a filter that let it is no cage. */
void filter_trust(void);

#endif
