/* The last process of a run has one log made of the parts of all. */
#ifndef DARSHAN_LIFE_RUN_MERGE_H
#define DARSHAN_LIFE_RUN_MERGE_H

/* At start, while the loader may be asked: where this library is, beside which there is
 * the program that makes the log. */
void run_merge_prepare(void);
/* 1: it is there. */
int run_merge_is_possible(void);
/* Lives any other process of the run, as far as anybody can tell? */
int run_others_live(void);
/* Starts that program, and waits for it; one that takes too long is ended.  0: there is a
 * log.  No process outlives this call, and no wait() of the program's meets one. */
int run_merge(void);
/* The same for the program that makes less of what lies in the folder. */
void run_fold(void);

#endif
