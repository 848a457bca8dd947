/* Runs the end of recording after all other exit handlers: at exit, quick_exit, the return of main
 * or the end of the last thread. */
#ifndef DARSHAN_LAST_H
#define DARSHAN_LAST_H

/* Called at start, before any other code registers with libc. */
void last_arrange(void);

/* Called by the destructor of this library. */
void last_destructor(void);

#endif
