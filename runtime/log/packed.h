/* Appends the part of a process to the file that the parts of a run share. A file for each process
 * of a compiler or a script costs more than all else that the runtime does at the end of a process:
 * a disk's file system spends 0.1 to 0.5 ms to create, rename and remove it. */
#ifndef DARSHAN_LOG_PACKED_H
#define DARSHAN_LOG_PACKED_H

#include "compose.h"

/* Appends the draft as this process's part (run_state.parts is its number). Returns 0, or -1 if it
 * must become a file of its own: it is large, the first program of the run wrote it, the run
 * directory is not on a local file system, a merger works on the file, or the run has its log. */
int log_save_packed(const struct log_draft *draft);
/* Returns 1 if the last draft of this process was appended. A merger certainly takes it. */
int log_is_packed(void);

#endif
