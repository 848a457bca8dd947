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
/* Starts that program, and waits a moment for it; what goes on longer is left alone.  -1:
 * it could not be started, or has ended without a log. */
int run_merge(void);
/* Starts the program that makes less of what lies in the folder, and waits for nothing. */
void run_fold(void);

#endif
