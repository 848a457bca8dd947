/* A forked child: the parent's records are not ours. */
#ifndef DARSHAN_FORK_H
#define DARSHAN_FORK_H

/* Called by fork itself: before, and in the child. */
void runtime_forking(void);
void runtime_forked(void);
/* When it is known to be one: it forgets, and will record for itself. */
void runtime_become_child(void);

#endif
