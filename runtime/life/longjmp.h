/* A longjmp out of a signal handler, which abandons the interrupted frames. */
#ifndef DARSHAN_LONGJMP_H
#define DARSHAN_LONGJMP_H

/* Releases the locks and the state of the frames that a jump of this thread abandons. Called before
 * the jump; target: the stack pointer of the frame in which the thread continues. */
void runtime_jumps(const char *target);

#endif
