/* End of recording in a process, and around an exec. */
#ifndef DARSHAN_END_H
#define DARSHAN_END_H

#include "../job/runtime.h"

/* Writes the log.  Afterwards every wrapper only forwards.  In a rank of an MPI
 * job that ends without MPI_Finalize the journal is kept instead. */
void runtime_finish(void);
/* Before the process, or only a thread, ends by SYS_exit_group or SYS_exit. */
void runtime_ends_by(long number);

/* In MPI_Finalize: the log of all ranks.  Every rank that records calls it. */
struct rank_comm;
void runtime_finish_ranks(struct rank_comm *comm);
/* Of a rank that is not to record: what there is goes, its journal with it. */
void runtime_drop_records(void);

/* 1: an end would write a log, or say that there is none. */
int runtime_has_something_to_say(void);

/* Before and after an exec: the log is written and the journal removed, or, if
 * the process goes on after all, both are taken back. */
/* Will the next program be watched, as far as its file says?  It gets this environment. */
void runtime_before_exec(int is_watched, char *const *envp, void (*hand_on)(void));
void runtime_exec_failed(void);
/* The same before what is no exec, but may end the process. */
void runtime_pause(void);

#endif
