/* Starts the merger (darshan-merge) in the last process of a run. */
#ifndef DARSHAN_LIFE_RUN_MERGE_H
#define DARSHAN_LIFE_RUN_MERGE_H

/* Called at start, while the loader may be called.  Remembers the path of this library, because
 * the merger is looked up relative to it. */
void run_merge_prepare(void);
/* Returns 1 if the merger is installed and no filter or changed root prevents its start. */
int run_merge_is_possible(void);
/* Returns 1 if another process of the run lives or may live. */
int run_others_live(void);
/* Starts the merger and waits for it; kills it if it takes too long.  Returns 0 if there is a log,
 * else -1.  No process outlives this call, and no wait() of the application returns one. */
int run_merge(void);
/* Starts the merger to combine parts in the run directory (--fold), and waits likewise. */
void run_fold(void);

#endif
