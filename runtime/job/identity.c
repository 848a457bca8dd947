/* The identity of this process, from which the names of its log and journal are made. */
#include "runtime.h"

#include <string.h>

#include "../intercept/sys/sys.h"
#include "owner.h"
#include "record-id.h"
#include "run-state.h"
#include "text/jobtext.h"
#include "text/text.h"

/* Returns DARSHAN_NAME_NUMBERED if this process's log may get the path in DARSHAN_LOGFILE,
 * otherwise DARSHAN_NAME_MADE. The log of an MPI job may get it. Without MPI, a log may get it
 * unless it is a part of a run, the process is a launcher, a forked child or about to exec, or
 * DARSHAN_LOGFILE_PID names another process. */
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
  int64_t own = process_state.pid ? process_state.pid : sys_getpid(); /* 0 for an excluded rank */
  int64_t pid =
      mpi->has_comm ? mpi->leader_pid : own; /* of the job's log, or of the process's own */
  return (struct darshan_log_identity){job_state.job.jobid,
                                       pid,
                                       mpi->rank,
                                       job_state.job.start_time_sec,
                                       own_naming(),
                                       0,
                                       run_state.part[0] ? run_state.part : NULL};
}

/* Returns the values of this process's journal name. In an MPI job that began with MPI_Init,
 * `unique` is computed from values that all ranks know, so every rank can compute the names of all
 * journals. Otherwise `unique` is 0. */
struct darshan_log_identity runtime_journal_identity(void) {
  const struct mpi_state *mpi = &mpi_state;
  struct darshan_log_identity identity = runtime_identity();
  int64_t job[] = {mpi->jobid, mpi->leader_pid, mpi->start_ns};
  identity.pid = process_state.pid;
  if (mpi->phase == MPI_RUNNING && !mpi->by_sessions)
    identity.unique = darshan_hash((const char *)job, sizeof(job), 0);
  return identity;
}

static void add_boot(struct darshan_text *text) {
  char boot[OWNER_BOOT];
  int fd = sys_open(OWNER_BOOT_FILE, O_RDONLY, 0);
  ssize_t n = fd < 0 ? 0 : sys_read(fd, boot, sizeof(boot));
  if (fd >= 0) sys_close(fd);
  if (n == OWNER_BOOT)
    darshan_text_bytes(text, boot, OWNER_BOOT);
  else
    darshan_text_add(text, OWNER_UNKNOWN);
}

void runtime_add_owner(struct darshan_job *job) {
  char line[128];
  struct darshan_text text = darshan_text_in(line, sizeof(line));
  run_know_place();
  size_t length = strnlen(run_state.host, sizeof(run_state.host));
  darshan_text_signed(&text, process_state.pid);
  darshan_text_add(&text, " ");
  darshan_text_unsigned(&text, run_state.names);
  darshan_text_add(&text, " ");
  add_boot(&text);
  darshan_text_add(&text, " ");
  darshan_text_bytes(&text, run_state.host, length);
  if (length == 0) darshan_text_add(&text, OWNER_UNKNOWN);
  darshan_metadata_add(job->metadata, sizeof(job->metadata), strlen(job->metadata), OWNER_KEY,
                       line);
}
