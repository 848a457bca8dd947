#include "same-memory.h"

#include "runtime.h"

/* Its number is not ours any more; but that of a process that was saved and
 * started again is not either, and then there is none of our number. */
int process_is_ours(void) {
  if (!process_state.pid) return 1; /* nothing is watched here: no table to be kept from others */
  pid_t self = sys_getpid();
  if (self == process_state.pid || self < 0) return 1;
  if (self == 1) return 0; /* first of its namespace, where nobody else can be seen */
  return SYS2(SYS_kill, process_state.pid, 0) == -3 /* ESRCH */;
}

/* What the child of a vfork has done: it has called exec or _exit, or has installed a
 * filter for system calls for itself. */
enum { CHILD_LEFT = 1, CHILD_CAGED = 2 };
static __thread unsigned vfork_child;

/* The child of a vfork, or of a clone of its kind, runs in its parent's memory; by
 * the process id a thread learns which of the two it is, or, where that may not be
 * asked for, by whether the child has left. */
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
