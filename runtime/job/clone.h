/* Processes in the memory of another one: the children of clone with CLONE_VM that
 * are no threads.  They run with our tables and records, which are about another
 * process, and which they must leave alone. */
#ifndef DARSHAN_CLONE_H
#define DARSHAN_CLONE_H

/* 1 if this process is the one that everything here is about; 0 in one that
 * shares its memory.  Makes system calls: for the ends of processes. */
int process_is_ours(void);

#endif
