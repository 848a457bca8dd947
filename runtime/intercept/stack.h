/* Memory of ours to run on.  A program's handlers, threads and coroutines may have
 * a few kilobytes of stack, of which the path of a call may take little; what is
 * rare and needs more (writing the log, asking the loader)
 * runs here.  Every signal is blocked meanwhile: no handler of the application
 * finds itself on our stack, none leaves it by longjmp, nobody is cancelled on it. */
#ifndef DARSHAN_STACK_H
#define DARSHAN_STACK_H

enum { STACK_BYTES = 128 << 10 };

/* Runs function(argument) there, or, if the caller is there already, where it is.
 * May be called by several threads at once and in signal handlers; who finds no memory
 * for a stack of its own waits for the one that is part of the library.  Returns 0; -1
 * if that does not come back, or signals cannot be blocked: nothing was done. */
int stack_run(void (*function)(void *argument), void *argument);

/* The same for what must be done in any case: where it cannot be had, on the
 * caller's stack. */
void stack_run_anyway(void (*function)(void *argument), void *argument);

/* Runs function(argument) on the caller's own stack and with its signals, for
 * calls into libraries of the application, which may need any depth. */
void stack_run_at_home(void (*function)(void *argument), void *argument);

/* This frame, or, if it is on memory of ours, where the caller left its own stack:
 * what tells a frame that was left from one that was interrupted. */
const char *stack_frame(const char *frame);
/* 1 if it is on this thread's alternate signal stack, or nobody can tell. */
int stack_is_alternate(const char *frame);

/* In a forked child: of all threads only this one is left. */
void stack_forked(void);

#endif
