#include "identity.h"

#include "../intercept/sys.h"
#include "record-id.h"
#include "run-state.h"
#include "runtime.h"

/* DARSHAN_LOGFILE names the log of the job; without MPI, that of the process that
 * was started under it: no launcher, no child, and no shell that becomes another
 * program. */
static enum darshan_log_naming own_naming(void) {
  const struct darshan_config *config = &darshan_config;
  if (run_state.part[0]) return DARSHAN_NAME_MADE;
  if (mpi_state.phase == MPI_RUNNING) return DARSHAN_NAME_NUMBERED;
  if (config->launcher || process_state.fork_parent || exec_state.phase_before ||
      (config->logfile_pid && config->logfile_pid != process_state.pid))
    return DARSHAN_NAME_MADE;
  return DARSHAN_NAME_NUMBERED;
}

struct darshan_log_identity runtime_identity(void) {
  const struct mpi_state *mpi = &mpi_state;
  int64_t own = process_state.pid ? process_state.pid : sys_getpid(); /* 0: an excluded rank */
  int64_t pid = mpi->has_comm ? mpi->leader_pid : own;                /* a log of all, or our own */
  return (struct darshan_log_identity){job_state.job.jobid,
                                       pid,
                                       mpi->rank,
                                       job_state.job.start_time_sec,
                                       own_naming(),
                                       0,
                                       run_state.part[0] ? run_state.part : NULL};
}

/* Every rank can tell the names of all journals of its job. */
struct darshan_log_identity runtime_journal_identity(void) {
  const struct mpi_state *mpi = &mpi_state;
  struct darshan_log_identity identity = runtime_identity();
  int64_t job[] = {mpi->jobid, mpi->leader_pid, mpi->start_ns};
  identity.pid = process_state.pid;
  if (mpi->phase == MPI_RUNNING && !mpi->by_sessions)
    identity.unique = darshan_hash((const char *)job, sizeof(job), 0);
  return identity;
}
