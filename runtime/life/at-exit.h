/* Runs the end of recording after all other exit handlers: at exit, quick_exit, the return of main
 * or the end of the last thread. */
#ifndef DARSHAN_LAST_H
#define DARSHAN_LAST_H

/* Registers the end of recording with libc. Called at start, before any other code registers. */
void last_arrange(void);

/* Ends recording, or lets libc end it after all destructors. Called by the destructor of this
 * library. */
void last_destructor(void);

#endif
