/* Writes the delayed bytes when a signal ends the process. A signal that the program handles or
 * ignores gets no handler. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../intercept/libc-direct.h"
#include "../intercept/sys.h"
#include "held-streams.h"
#include "remedies.h"

/* Returns 1 if the interrupted instruction caused the signal, so that the signal occurs again when
 * the handler returns; else 0. si_code alone does not decide: an alarm and Ctrl-C have SI_KERNEL,
 * too. */
static int is_fault(int number, const siginfo_t *info) {
  static const int faults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGSYS};
  for (size_t n = 0; n < sizeof(faults) / sizeof(*faults); n++)
    if (faults[n] == number) return info->si_code > 0;
  return 0;
}

/* Handler: writes the delayed bytes and lets the signal end the process. The kernel has restored
 * the default action (SA_RESETHAND). A fault occurs again on return; any other signal is sent again
 * and delivered when this handler has returned. */
static void save(int number, siginfo_t *info, void *context) {
  (void)context;
  held_streams_save();
  join_writes_save();
  if (!is_fault(number, info)) SYS2(SYS_kill, SYS1(SYS_getpid, 0), number);
}

/* Returns 1 if the default action of the signal ends the process and the process can install a
 * handler for it; else 0. */
static int is_fatal(int number) {
  static const int others[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};
  for (size_t n = 0; n < sizeof(others) / sizeof(*others); n++)
    if (others[n] == number) return 0;
  return 1;
}

typedef int action_function(int, const struct sigaction *, struct sigaction *);

void fatal_signals_watch(void) {
  static int is_done;
  if (__atomic_exchange_n(&is_done, 1, __ATOMIC_ACQ_REL)) return;
  /* They are called last: what is registered later is called before. */
  at_quick_exit(held_streams_write);
  at_quick_exit(join_writes_stop);
  action_function *set = (action_function *)straight_function("sigaction");
  struct sigaction ours, old;
  if (!set) return;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = save;
  ours.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK | SA_RESTART);
  for (int n = 1; n <= SIGRTMAX; n++)
    if (is_fatal(n) && set(n, NULL, &old) == 0 && old.sa_handler == SIG_DFL) set(n, &ours, NULL);
}
