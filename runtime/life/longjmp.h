/* A longjmp out of a signal handler, which abandons the interrupted frames. */
#ifndef DARSHAN_LONGJMP_H
#define DARSHAN_LONGJMP_H

/* Called before this thread continues in a frame whose stack pointer is `target`.  Releases locks
 * and state of the frames that the jump abandons. */
void runtime_jumps(const char *target);

#endif
