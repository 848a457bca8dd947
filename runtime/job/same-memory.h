/* Other processes may run in this one's memory: the child of a vfork, and those that
 * clone makes with CLONE_VM.  They must leave every table alone. */
#ifndef DARSHAN_SAME_MEMORY_H
#define DARSHAN_SAME_MEMORY_H

#include "../door/door.h"

/* 1 if this process is the one that everything here is about; 0 in one that
 * shares its memory.  Makes system calls: for the ends of processes. */
int process_is_ours(void);

/* An exec or _exit is about to be called, or has failed: in the child of a vfork the
 * next that happens in this thread is the parent's doing. */
void fd_vfork_leaves(int leaves);
/* Such a child installs a filter, which in the parent does not hold. */
void fd_vfork_caged(int caged);

#endif
