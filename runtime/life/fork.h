/* The runtime in a forked child, which does not own its parent's records. */
#ifndef DARSHAN_FORK_H
#define DARSHAN_FORK_H

/* Handlers of pthread_atfork: before the fork, and in the child. */
void runtime_forking(void);
void runtime_forked(void);
/* Resets the state of the parent in a forked child, which then records for itself. */
void runtime_become_child(void);

#endif
