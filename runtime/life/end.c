/* Writes the log or part of a process at its end, in MPI_Finalize and before an exec. */
#include "life.h"

#include <string.h>

#include "../intercept/spin.h"
#include "../intercept/stack.h"
#include "../intercept/sys/sys.h"
#include "../job/modules.h"
#include "../job/runtime.h"
#include "../log/ranks/rank.h"
#include "../log/save.h"
#include "../log/without-journal.h"
#include "../log/write.h"
#include "../records/after-chroot.h"
#include "exec/exec.h"
#include "exec/unwatched.h"
#include "run/children.h"
#include "run/run.h"

/* Stops recording. Returns the phase before the call, or RUNTIME_OFF if there is nothing to
 * write. */
static uint32_t stop_recording(void) {
  if (!darshan_hot.fd_limit || !fd_may_change()) return RUNTIME_OFF;
  if (runtime_phase() == RUNTIME_OFF) runtime_become_child();
  if (!darshan_hot.fd_limit || !process_is_ours()) return RUNTIME_OFF;
  modules_ending();
  deepbind_look();
  uint32_t phase = __atomic_exchange_n(runtime_phase_word(), RUNTIME_FINISHED, __ATOMIC_ACQ_REL);
  __atomic_store_n(&darshan_hot.fd_limit, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&darshan_store.closed, 1, __ATOMIC_RELAXED);
  if (phase != RUNTIME_FINISHED) {
    modules_ended();
    store_name_rest(&darshan_store);
  }
  if (phase == RUNTIME_READY) {
    if (process_state.fork_parent) return RUNTIME_OFF; /* a child without any I/O */
    runtime_describe_job(0);
  }
  return phase == RUNTIME_FINISHED ? RUNTIME_OFF : phase;
}

/* Returns 1 if a rank of a job of several ranks, which ends without MPI_Finalize, must write no
 * log: its complete journal stays, or it has recorded nothing. Otherwise returns 0. A log per rank
 * would fill the folder of logs; darshan-merge makes one log from the journals. */
static int keep_journal(void) {
  struct record_store *store = &darshan_store;
  const struct mpi_state *mpi = &mpi_state;
  if (mpi->phase != MPI_RUNNING || mpi->size == 1) return 0;
  if (!store->frame) return 1;                   /* nothing was recorded */
  if (store_kept(store) != STORE_KEPT) return 0; /* incomplete: the rank writes its own log */
  log_end_now(&job_state.job);
  store_set_job(store, &job_state.job, NULL, 0);
  return 1;
}

/* Removes the snapshot and the journal, because the log now has their records. */
static void log_is_there(void) {
  snapshot_remove();
  struct journal *journal = &darshan_store.journal;
  int result = journal_remove(journal);
  if (result < 0)
    DARSHAN_MESSAGE(&darshan_problems, "cannot remove a journal: ", darshan_error_text(-result),
                    "; the log has the records that are in ", journal->path);
  children_remove_self();
}

/* Stores the job's end time and last metadata in the journal, which replaces the log. */
static void complete_journal(void) {
  log_end_now(&job_state.job);
  store_set_job(&darshan_store, &job_state.job, NULL, 0);
}

enum { KEPT_FOR_THE_RUN = 1 };

/* Writes the part of this process or, outside of a run or if the run is closed, its log. Returns 0
 * or -1, or KEPT_FOR_THE_RUN if the journal stays for the run's log. */
static int write_records(void) {
  int takes_part = run_takes_part();
  if (!takes_part && run_has_journal()) {
    complete_journal();
    return KEPT_FOR_THE_RUN;
  }
  int result = log_write();
  return takes_part && !run_part_stays(result) ? log_write() : result;
}

/* Writes the log or part, and the process's last row and message.  Runs on a stack of the
 * runtime, with signals blocked, so that no signal ends the process between writing and renaming
 * the log. */
static void finish(void *nothing) {
  (void)nothing;
  if (stop_recording() == RUNTIME_OFF || !runtime_may_leave_files()) {
    if (fd_may_change() && process_is_ours()) log_say_problems();
    return;
  }
  int result = KEPT_FOR_THE_RUN;
  if (keep_journal())
    last_word_say(mpi_state.aborted ? "MPI_Abort was called" : "MPI_Finalize was not called");
  else
    result = write_records();
  if (result == 0) log_is_there();
  children_adopt();
  /* The message names the journal, so the parent must not adopt the journal. */
  if (log_say_problems() && result < 0) children_remove_self();
}

/* Ends recording by completing the journal, because the application's seccomp filter forbids
 * writing a log or a message. */
static void finish_in_memory(void) {
  if (stop_recording() == RUNTIME_OFF) return;
  complete_journal();
}

/* Reports that no stack was free for writing the log. Does nothing else, because it runs on the
 * caller's stack. */
static void finish_at_once(void) {
  const struct journal *journal = &darshan_store.journal;
  if (!runtime_may_leave_files()) return;
  DARSHAN_MESSAGE(&darshan_problems, "cannot write the log to ", darshan_config.logpath,
                  ": Cannot allocate memory; the records ",
                  journal->has_file ? "may be in " : "are lost",
                  journal->has_file ? journal->path : "");
  log_say_problems();
}

void runtime_finish(void) {
  if (!darshan_hot.phase_page && !runtime_may_leave_files())
    return; /* this process never started to record */
  struct floats floats;
  floats_take(&floats);
  if (sys_gate_is_shut())
    finish_in_memory();
  else if (stack_run(finish, NULL) < 0 && stop_recording() != RUNTIME_OFF)
    finish_at_once();
  run_left();
  fd_vfork_leaves(1);
  floats_give(&floats);
}

/* Returns 1 if the process has one thread: each thread is a folder in /proc/self/task.  Returns
 * 0 if that cannot be read. */
static int is_only_thread(void) {
  enum { OWN_LINKS = 2 };
  struct stat st;
  return SYS4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) == 0 &&
         st.st_nlink == OWN_LINKS + 1;
}

void runtime_ends_by(long number) {
  if (number == SYS_exit && !is_only_thread()) return;
  runtime_finish();
}

static void finish_ranks(void *comm_) {
  struct rank_comm *comm = comm_;
  /* A rank without records (excluded) takes part, too, because the other ranks communicate with
   * it. */
  if (stop_recording() == RUNTIME_OFF) runtime_describe_job(0);
  /* The ranks communicate on the caller's stack and with its signal mask, so that the user can end
   * a job that waits here for a lost rank. */
  int written = log_write_ranks(comm) == 0;
  run_note_job();
  if (comm->rank != 0) darshan_problems.count = 0; /* rank 0 prints the line for all ranks */
  if (written) log_is_there();                     /* otherwise each rank reports its journal */
  children_adopt();
  log_say_problems();
}

void runtime_finish_ranks(struct rank_comm *comm) {
  stack_run_anyway(finish_ranks, comm);
}

void runtime_drop_records(void) {
  if (stop_recording() == RUNTIME_OFF) return;
  snapshot_remove();
  journal_remove(&darshan_store.journal);
  store_drop_records(&darshan_store);
}

/* Stops recording before an exec, and stores what runtime_exec_failed needs to continue.
 * Returns the phase before, or RUNTIME_OFF if there is nothing to write. */
static uint32_t stop_before_exec(void) {
  uint32_t phase = stop_recording();
  if (phase == RUNTIME_OFF) return phase;
  exec_state.log_written = 0;
  exec_state.phase_before = phase;
  exec_state.thread = darshan_spin.token;
  exec_state.frame = stack_frame(__builtin_frame_address(0));
  return phase;
}

static void before_exec(void *nothing) {
  (void)nothing;
  if (stop_before_exec() == RUNTIME_OFF) {
    /* Without memory for records, the process reports at its exec that it leaves no log. */
    if (darshan_store.unrecorded && fd_may_change() && process_is_ours()) log_say_problems();
    return;
  }
  if (!runtime_may_leave_files()) return;
  static int said; /* 1: the problems were printed, however often an exec fails */
  unsigned problems = darshan_problems.count;
  if (keep_journal()) return;
  if (write_records() == 0) {
    exec_state.log_written = 1;
    log_is_there();
  }
  /* Prints the problems now, because the next program cannot. */
  if (darshan_problems.count > problems && !said) {
    said = 1;
    log_say_problems();
  }
}

int runtime_has_something_to_say(void) {
  return darshan_hot.fd_limit != 0 || darshan_store.unrecorded;
}

void runtime_before_exec(int is_watched, char *const *envp, void (*hand_on)(void)) {
  int ours = fd_may_change() && !sys_gate_is_shut() && process_is_ours();
  struct run_event row = {.kind = RUN_UNWATCHED};
  enum run_unwatched why = unwatched_why(envp, &row);
  is_watched = is_watched && why != RUN_ENVIRONMENT;
  row.status = (int32_t)why;
  if (!fd_may_change() && (is_watched || why))
    run_vforked();
  else if (ours && is_watched)
    run_exec();
  if (why && (ours || !fd_may_change())) run_becomes_unwatched(&row, !fd_may_change());
  if (is_watched && (ours || !fd_may_change())) hand_on();
  runtime_pause();
  if (ours && !is_watched) run_left();
}

void runtime_pause(void) {
  struct floats floats;
  floats_take(&floats);
  if (sys_gate_is_shut())
    stop_before_exec();
  else if (fd_may_change() && stack_run(before_exec, NULL) < 0 && stop_before_exec() != RUNTIME_OFF)
    finish_at_once();
  fd_vfork_leaves(1);
  floats_give(&floats);
}

/* Recreates the journal, if it was removed before a failed exec, from the records in memory. */
static void restore_journal(void) {
  struct record_store *store = &darshan_store;
  if (!store->journal.has_file) return;
  store->journal.has_file = 0;
  store->closed = 0;
  if (store_keep(store) == 0 && process_state.fork_parent) children_add_self();
}

static void exec_failed(void *nothing) {
  (void)nothing;
  if (exec_state.log_written) {
    log_take_back(log_path);
    restore_journal();
  }
  darshan_store.closed = 0;
  exec_state.log_written = 0;
  __atomic_store_n(runtime_phase_word(), exec_state.phase_before, __ATOMIC_RELEASE);
  exec_state.phase_before = RUNTIME_OFF;
  __atomic_store_n(&darshan_hot.fd_limit, RUNTIME_FDS, __ATOMIC_RELEASE);
}

void runtime_exec_failed(void) {
  fd_vfork_leaves(0);
  if (!exec_state.phase_before || !fd_may_change() || !process_is_ours()) return;
  stack_run_anyway(exec_failed, NULL);
}
