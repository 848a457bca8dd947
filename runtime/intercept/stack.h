/* Stacks of the runtime. The application's handlers, threads and coroutines may have a few
 * kilobytes of stack, and a wrapper may use little of it. Rare work that needs more (writing the
 * log, querying the loader) runs on a stack of the runtime. All signals that can wait are blocked
 * meanwhile: no handler of the application runs on this stack or leaves it by longjmp, and no
 * thread is cancelled on it. */
#ifndef DARSHAN_STACK_H
#define DARSHAN_STACK_H

enum { STACK_BYTES = 128 << 10 };

/* Runs function(argument) on a stack of the runtime. Stays on the current stack if that is already
 * a stack of the runtime, or if an inherited filter forbids blocking signals. Several threads and
 * signal handlers may call it at once. If all stacks are taken, or there is no memory for another
 * one, waits up to some ten seconds for a free one; the first stack is part of the library. Returns
 * 0, or -1 without calling the function if no stack becomes free, signals cannot be blocked or the
 * system call gate is shut.
 * */
int stack_run(void (*function)(void *argument), void *argument);

/* Runs function(argument) like stack_run, for work that must never be skipped. If no stack is free,
 * the function runs on the caller's stack. */
void stack_run_anyway(void (*function)(void *argument), void *argument);

/* Runs function(argument) for work that is needed in every call. has_room: 1 if the caller's stack
 * has several kilobytes left. The function then runs on the caller's stack and with the caller's
 * signal mask, which saves two system calls, and the result is 0. Otherwise it runs as in
 * stack_run, whose results this function returns. */
int stack_run_with_room(void (*function)(void *argument), void *argument, int has_room);

/* Runs function(argument) on the caller's own stack and with the caller's signal mask. Used for
 * calls into libraries of the application, which may need any amount of stack. */
void stack_run_at_home(void (*function)(void *argument), void *argument);

/* Returns this frame or, if it is on a stack of the runtime, the address at which the caller left
 * its own stack. With it, a caller distinguishes an abandoned frame from an interrupted one. */
const char *stack_frame(const char *frame);
/* Returns 1 if the frame is on this thread's alternate signal stack, if the thread runs on that
 * stack now, or if this is unknown. Otherwise returns 0. */
int stack_is_alternate(const char *frame);

/* Frees the stacks of all other threads. Called in the child after fork, which has only this
 * thread. */
void stack_forked(void);

#endif
