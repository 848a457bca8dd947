/* One log from all ranks of a job. */
#ifndef DARSHAN_RANKS_H
#define DARSHAN_RANKS_H

#include "../mpi/comm.h"

/* Called by every rank, before the communicator is gone.  0: the log is
 * complete, the journal may go; -1: the journal is the only copy. */
int log_write_ranks(struct rank_comm *comm);

#endif
