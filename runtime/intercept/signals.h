/* No signal while a file of ours is half made: a handler that leaves by longjmp, or
 * ends the process, would leave it so. */
#ifndef DARSHAN_SIGNALS_H
#define DARSHAN_SIGNALS_H

#include <signal.h>

#include "sys.h"

/* No mask that the kernel gives holds these two. */
#define SIGNALS_NO_STRETCH (UINT64_C(1) << (SIGKILL - 1))
#define SIGNALS_AS_THEY_ARE (UINT64_C(1) << (SIGSTOP - 1))

/* Those that say what a thread itself just did cannot wait. */
static inline uint64_t signals_that_wait(void) {
  static const unsigned char at_once[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  uint64_t mask = UINT64_MAX;
  for (unsigned i = 0; i < sizeof(at_once); i++)
    mask &= ~(UINT64_C(1) << (at_once[i] - 1));
  return mask;
}
/* A stretch of calls (sys-gate.h).  What was blocked before, which is for the other. */
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
