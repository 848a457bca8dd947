/* Distinguishes this process from other processes that run in its memory (runtime.h). */

#include "runtime.h"

/* Returns 1 if this process is the one whose events the tables hold, otherwise 0. The pid differs
 * in another process that shares this memory, and in this process after a checkpoint and restart.
 * After a restart no process has the old pid. */
int process_is_ours(void) {
  if (!process_state.pid) return 1; /* not instrumented: there are no tables to protect */
  pid_t self = sys_getpid();
  if (self == process_state.pid || self < 0) return 1;
  if (self == 1) return 0; /* the first process of a new PID namespace cannot see the old pid */
  return SYS2(SYS_kill, process_state.pid, 0) == -3 /* ESRCH */;
}

/* State of a vfork child, in memory that it shares with its parent. CHILD_LEFT: it has called exec
 * or _exit. CHILD_CAGED: it has installed a seccomp filter. */
enum { CHILD_LEFT = 1, CHILD_CAGED = 2 };
static __thread unsigned vfork_child;

/* Returns 1 in the parent, 0 in its vfork child (or the child of a similar clone), which runs in
 * the parent's memory. Compares process ids. If a filter forbids getpid, the answer follows from
 * whether the child has called exec or _exit. */
static int is_parent(void) {
  if (sys_may(SYS_getpid))
    return sys_getpid() == process_state.pid || runtime_phase() == RUNTIME_OFF;
  return !(darshan_guard & GUARD_VFORK) || (vfork_child & CHILD_LEFT);
}

int fd_may_change(void) {
  uint32_t apart = __atomic_load_n(&process_state.apart, __ATOMIC_RELAXED);
  if (LIKELY(!(darshan_guard & GUARD_VFORK) && !apart)) return 1;
  if (!darshan_hot.phase_page) return 1; /* switched off: there are no tables */
  if (!is_parent()) return 0;
  if (vfork_child & CHILD_CAGED) sys_gate_reopen();
  vfork_child = 0;
  darshan_guard &= ~(uintptr_t)GUARD_VFORK;
  return 1;
}

void fd_vfork_leaves(int leaves) {
  if (LIKELY(!(darshan_guard & GUARD_VFORK))) return;
  vfork_child = leaves ? vfork_child | CHILD_LEFT : vfork_child & ~(unsigned)CHILD_LEFT;
}

void fd_vfork_caged(int caged) {
  if (LIKELY(!(darshan_guard & GUARD_VFORK))) return;
  vfork_child = caged ? vfork_child | CHILD_CAGED : vfork_child & ~(unsigned)CHILD_CAGED;
}
