/* Other processes that run in this process's memory: vfork children, and children of clone with
 * CLONE_VM.  They must not change any table. */
#ifndef DARSHAN_SAME_MEMORY_H
#define DARSHAN_SAME_MEMORY_H

#include "../door/door.h"

/* Returns 1 in the process that the tables describe, 0 in a process that shares its memory.  Makes
 * system calls, so it is called when processes end, not for each event. */
int process_is_ours(void);

/* Called before exec or _exit (1) and after a failed exec (0).  After a vfork child's exec or _exit
 * the parent runs next in this thread. */
void fd_vfork_leaves(int leaves);
/* Called when a vfork child installs a seccomp filter, which does not apply to the parent. */
void fd_vfork_caged(int caged);

#endif
