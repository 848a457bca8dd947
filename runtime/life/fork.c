/* Resets the runtime in a forked child. */
#include "life.h"

#include "../intercept/spin.h"
#include "../intercept/stack.h"
#include "../intercept/sys/sys.h"
#include "../job/config/names.h"
#include "../job/modules.h"
#include "../job/runtime.h"
#include "../names/descriptors.h"
#include "../names/failed-lookups.h"
#include "../names/folder.h"
#include "../names/path-buffers.h"
#include "run/children.h"
#include "run/run.h"

/* Resets locks, stacks, losses and records for the child, which then records for itself.  A
 * child behind the application's seccomp filter cannot make a journal, so it records nothing. */
void runtime_become_child(void) {
  sys_gate_forked();
  if (sys_gate_is_shut()) {
    darshan_guard = 0;
    __atomic_store_n(&darshan_hot.fd_limit, 0, __ATOMIC_RELAXED);
    return;
  }
  int thread = darshan_spin.token;
  stack_forked();
  darshan_guard = 0;
  spin_forked();
  path_buffers_forked(thread);
  process_state.fork_parent = process_state.pid;
  process_state.pid = sys_getpid();
  lost_state.in_handlers = lost_state.in_shared_memory = lost_state.without_memory = 0;
  lost_state.for_full_tables = lost_state.by_deepbind = darshan_spin_lost = 0;
  lost_state.parts = darshan_scratch.lacked = 0;
  process_state.sharers = process_state.apart = 0;
  process_state.failed_with = 0;
  missed_forget();
  folder_forked();
  fd_folder_forked();
  exec_state.log_written = 0;
  store_forget(&darshan_store);
  mpi_forked();
  modules_forked();
  /* A child of a rank is not a rank, so it records nothing without DARSHAN_ENABLE_NONMPI.  A child
   * of a process that has not called MPI_Init may still become a rank. */
  if (!darshan_config.nonmpi && mpi_state.phase != MPI_NOT_YET)
    __atomic_store_n(&darshan_hot.fd_limit, 0, __ATOMIC_RELAXED);
  run_forked();
  __atomic_store_n(runtime_phase_word(), RUNTIME_READY, __ATOMIC_RELEASE);
}

void runtime_forking(void) {
  run_forking();
  children_prepare();
}

static void forked(void *nothing) {
  (void)nothing;
  clock_start(&darshan_hot.clock);
  runtime_become_child();
}

/* Resets the runtime in the child, on a stack of the runtime.  Does nothing in a process that is
 * not the child: kernels before 4.14 do not wipe the phase, so the process id decides. */
void runtime_forked(void) {
  if (!darshan_hot.fd_limit) return;
  if (runtime_phase() != RUNTIME_OFF && sys_may(SYS_getpid) && sys_getpid() == process_state.pid)
    return;
  stack_run_anyway(forked, NULL);
}

int runtime_is_new_child(void) {
  return process_state.fork_parent && runtime_phase() == RUNTIME_READY;
}
