/* Makes the ranks agree at MPI_Init, and writes the log at MPI_Finalize (init-finalize.h). */
#include "init-finalize.h"

#include <string.h>

#include "../intercept/sys/sys.h"
#include "../life/confine/confine.h"
#include "../life/life.h"
#include "mpi.h"

/* Values on which the ranks agree before recording: each value is the minimum over all ranks. */
struct agreement {
  int64_t all_active;  /* 1: all ranks record */
  int64_t all_idle;    /* 1: no rank records */
  int64_t all_meet;    /* 1: all ranks run a barrier before collectives; a rank alone would wait for
                          ever */
  int64_t all_threads; /* 1: all ranks record the threads of traces, because they share a region of
                          the log */
  int64_t start_ns;    /* start of the rank that started first */
  int64_t jobid, pid;  /* those of rank 0; other ranks contribute INT64_MAX */
};
enum { AGREEMENT_WORDS = sizeof(struct agreement) / sizeof(int64_t) };

static int is_active(void) {
  return darshan_config_active(&darshan_config) && !mpi_state.left_out;
}

static int is_to_meet(void) {
  return darshan_config.collectives_meet &&
         darshan_module_set_has(&darshan_config.modules, DARSHAN_MOD_APMPI);
}

static struct agreement own_agreement(void) {
  const struct darshan_config *config = &darshan_config;
  int active = is_active(), first = mpi_state.rank == 0;
  int64_t pid = sys_getpid();
  return (struct agreement){.all_active = active,
                            .all_idle = !active,
                            .all_meet = active && is_to_meet(),
                            .all_threads = !active || darshan_config.dxt_threads,
                            .start_ns = active ? runtime_start_ns() : INT64_MAX,
                            .jobid = !first              ? INT64_MAX
                                     : config->has_jobid ? config->jobid
                                                         : pid,
                            .pid = first ? pid : INT64_MAX};
}

/* Returns 1 if the runtime uses blocking calls of MPI, 0 if it polls. MPICH's blocking calls take
 * tens of milliseconds if the node is oversubscribed; Open MPI itself yields the processor. */
static int waits_itself(void) {
  return mpi_library.flavour == MPI_OPENMPI || !mpi_function(Test) || !mpi_function(Iallreduce) ||
         !mpi_function(Comm_idup);
}

static int least_of_all(const struct agreement *own, struct agreement *agreed) {
  mpi_handle type = mpi_constant(INT64_T), least = mpi_constant(MIN);
  mpi_handle world = mpi_constant(COMM_WORLD), request = 0;
  if (waits_itself())
    return mpi_function(Allreduce)(own, agreed, AGREEMENT_WORDS, type, least, world) ? -1 : 0;
  if (mpi_function(Iallreduce)(own, agreed, AGREEMENT_WORDS, type, least, world, &request))
    return -1;
  return mpi_wait_for(&request);
}

static int copy_world(mpi_handle *copy) {
  mpi_handle world = mpi_constant(COMM_WORLD), request = 0;
  if (waits_itself()) return mpi_function(Comm_dup)(world, copy) ? -1 : 0;
  return mpi_function(Comm_idup)(world, copy, &request) ? -1 : mpi_wait_for(&request);
}

/* Makes the runtime's communicator of all ranks that record. A setting, or the name of its program,
 * may exclude a rank from recording. An excluded rank takes part in this call, because the other
 * ranks would wait for it. */
static void make_comm(const struct agreement *agreed) {
  struct mpi_state *mpi = &mpi_state;
  int failed;
  mpi_library.comm = 0;
  if (agreed->all_active)
    failed = copy_world(&mpi_library.comm);
  else
    failed =
        mpi_function(Comm_split)(mpi_constant(COMM_WORLD), is_active() ? 0 : MPI_UNDEFINED_NUMBER,
                                 mpi->rank, &mpi_library.comm);
  if (failed || !is_active()) return;
  mpi_function(Comm_set_errhandler)(mpi_library.comm, mpi_constant(ERRORS_RETURN));
  mpi->has_comm = 1;
}

static void meet_ranks(struct agreement *agreed) {
  struct mpi_state *mpi = &mpi_state;
  mpi_handle world = mpi_constant(COMM_WORLD);
  if (mpi_library.flavour != MPI_UNKNOWN && (mpi_function(Comm_rank)(world, &mpi->rank) != 0 ||
                                             mpi_function(Comm_size)(world, &mpi->size) != 0))
    mpi_library.flavour = MPI_UNKNOWN;
  if (mpi_library.flavour == MPI_UNKNOWN) {
    mpi->rank = 0;
    mpi->size = 1;
  }
  struct agreement own = *agreed = own_agreement();
  if (mpi->size == 1) return;
  if (!mpi_function(Allreduce) || !mpi_function(Comm_dup) || !mpi_function(Comm_split) ||
      !mpi_function(Comm_set_errhandler))
    return;
  if (least_of_all(&own, agreed) < 0)
    *agreed = own;
  else if (!agreed->all_idle)
    make_comm(agreed);
}

static void start(const struct agreement *agreed) {
  struct mpi_state *mpi = &mpi_state;
  mpi->phase = MPI_RUNNING;
  mpi->jobid = agreed->jobid;
  mpi->leader_pid = agreed->pid;
  mpi->start_ns = agreed->start_ns;
  mpi->without_threads = !agreed->all_threads || (mpi->by_sessions && mpi->size > 1);
  if (!is_active()) return;
  if (mpi->size > 1) filter_trust();
  /* If there is no job id, the pid of rank 0 replaces it. The other ranks know this pid only after
   * the agreement. With sessions there is no agreement. */
  mpi->left_out = !mpi->by_sessions && !darshan_job_in_sample(&darshan_config, mpi->jobid);
  mpi->meets = agreed->all_meet && !mpi->left_out && !mpi->by_sessions;
  if (mpi->left_out) {
    runtime_drop_records();
    return;
  }
  runtime_start_rank();
  if (!darshan_config.nonmpi && darshan_config.dump && mpi->rank == 0)
    darshan_config_dump(&darshan_config, 2);
}

void mpi_initialised(const void *caller) {
  struct agreement agreed;
  if (mpi_state.phase != MPI_NOT_YET) return;
  mpi_meet_library(caller);
  meet_ranks(&agreed);
  start(&agreed);
}

/* Ends recording and writes one log with all ranks that record. */
static void finish(void) {
  struct mpi_state *mpi = &mpi_state;
  struct rank_comm comm;
  if (is_active()) {
    if (comm_mpi_open(&comm) == 0) {
      runtime_finish_ranks(&comm);
    } else {
      runtime_finish();
    }
  }
  mpi->phase = MPI_FINISHED;
  if (mpi->has_comm && mpi_function(Comm_free)) mpi_function(Comm_free)(&mpi_library.comm);
  mpi->has_comm = 0;
}

void mpi_finalising(void) {
  if (mpi_state.phase == MPI_RUNNING) finish();
}

void mpi_aborting(void) {
  if (mpi_state.phase != MPI_RUNNING) return;
  mpi_state.aborted = 1;
  runtime_finish();
}

/* Stores the group of all processes of the job, without communication. Returns 0, or -1 if the MPI
 * library cannot provide it. */
static int world_group(const mpi_handle *session, mpi_handle *group) {
  *group = 0;
  if (mpi_library.flavour == MPI_UNKNOWN || !mpi_function(Group_from_session_pset) ||
      !mpi_function(Comm_create_from_group) || !mpi_function(Group_rank) ||
      !mpi_function(Group_size) || !mpi_function(Group_free))
    return -1;
  return mpi_function(Group_from_session_pset)(*session, "mpi://WORLD", group) == 0 ? 0 : -1;
}

void mpi_session_initialised(const mpi_handle *session, const void *caller) {
  struct mpi_state *mpi = &mpi_state;
  mpi_handle group;
  if (mpi->phase == MPI_FINISHED) return;
  mpi_library.sessions++;
  if (mpi->phase == MPI_RUNNING) return;
  mpi_meet_library(caller);
  mpi->size = 1;
  if (world_group(session, &group) == 0) {
    mpi_function(Group_rank)(group, &mpi->rank);
    mpi_function(Group_size)(group, &mpi->size);
    mpi_function(Group_free)(&group);
  }
  mpi->by_sessions = 1;
  struct agreement own = own_agreement();
  own.jobid = darshan_config.has_jobid ? darshan_config.jobid : sys_getpid();
  own.pid = sys_getpid();
  start(&own);
}

/* Makes the runtime's communicator when the last session ends. It cannot be made earlier, because
 * opening a session must not wait for other processes. A job of one process has none. */
static void make_comm_of_sessions(const mpi_handle *session) {
  struct mpi_state *mpi = &mpi_state;
  mpi_handle group;
  mpi_library.comm = 0;
  if (mpi->size == 1 || !is_active() || world_group(session, &group) < 0) return;
  mpi->has_comm =
      mpi_function(Comm_create_from_group)(group, "darshan", mpi_constant(INFO_NULL),
                                           mpi_constant(ERRORS_RETURN), &mpi_library.comm) == 0;
  mpi_function(Group_free)(&group);
}

void mpi_session_finalising(const mpi_handle *session) {
  struct mpi_state *mpi = &mpi_state;
  if (mpi->phase != MPI_RUNNING || --mpi_library.sessions > 0 || !mpi->by_sessions) return;
  make_comm_of_sessions(session);
  finish();
}
