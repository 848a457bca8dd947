/* Fills in the job record of the log. */
#include "life.h"

#include "../intercept/sys/sys.h"
#include "../job/runtime.h"
#include "../log/write.h"

int64_t runtime_start_ns(void) {
  const struct darshan_clock *clock = &darshan_hot.clock;
  if (!darshan_hot.fd_limit) return (int64_t)clock_ns(CLOCK_REALTIME);
  return clock->start_sec * NS_PER_SECOND + clock->start_nsec;
}

void runtime_describe_job(int with_mounts) {
  struct darshan_job *job = &job_state.job;
  const struct mpi_state *mpi = &mpi_state;
  job->uid = sys_getuid();
  if (mpi->phase == MPI_RUNNING) {
    job->start_time_sec = mpi->start_ns / NS_PER_SECOND;
    job->start_time_nsec = mpi->start_ns % NS_PER_SECOND;
    job->nprocs = mpi->size;
    job->jobid = mpi->jobid;
  } else {
    job->start_time_sec = darshan_hot.clock.start_sec;
    job->start_time_nsec = darshan_hot.clock.start_nsec;
    job->nprocs = 1;
    job->jobid = darshan_config.has_jobid ? darshan_config.jobid : process_state.first_pid;
  }
  log_metadata_start(job);
  if (job_state.text_length == 0)
    job_state.text_length = darshan_job_text(job_state.text, DARSHAN_JOB_TEXT_ROOM, with_mounts);
}
