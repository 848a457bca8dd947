/* Blocks signals while the runtime creates or writes a file: a handler that leaves by longjmp or
 * ends the process would leave the file half-written. */
#ifndef DARSHAN_SIGNALS_H
#define DARSHAN_SIGNALS_H

#include <signal.h>

#include "../sys/sys.h"

/* Results of signals_block that are not masks: the kernel never returns a mask with one of these
 * bits. */
#define SIGNALS_NO_STRETCH (UINT64_C(1) << (SIGKILL - 1))
#define SIGNALS_AS_THEY_ARE (UINT64_C(1) << (SIGSTOP - 1))

/* Returns the mask of the signals that may be delayed: all except signals that report an error of
 * the thread's current instruction, which cannot wait. */
static inline uint64_t signals_that_wait(void) {
  static const unsigned char at_once[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  uint64_t mask = UINT64_MAX;
  for (unsigned i = 0; i < sizeof(at_once); i++)
    mask &= ~(UINT64_C(1) << (at_once[i] - 1));
  return mask;
}
/* Begins a critical section of system calls (sys-gate.h) and blocks signals. Returns the previous
 * mask for signals_restore; SIGNALS_NO_STRETCH if the gate is shut; SIGNALS_AS_THEY_ARE if signals
 * cannot be blocked. */
static inline uint64_t signals_block(void) {
  uint64_t mask = signals_that_wait(), before = 0;
  if (!sys_gate_begin()) return SIGNALS_NO_STRETCH;
  if (SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &before, sizeof(mask)) < 0)
    return SIGNALS_AS_THEY_ARE;
  return before;
}
static inline void signals_restore(uint64_t before) {
  if (before == SIGNALS_NO_STRETCH) return;
  if (before != SIGNALS_AS_THEY_ARE)
    SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
  sys_gate_end();
}

#endif
