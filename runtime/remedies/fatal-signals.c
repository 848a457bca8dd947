/* Writes what streams hold back when a signal ends the process. A signal that the program handles
 * or ignores is left alone. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../intercept/libc-direct.h"
#include "../intercept/sys.h"
#include "held-streams.h"
#include "remedies.h"

static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGFPE,
                            SIGSEGV, SIGBUS,  SIGPIPE, SIGALRM, SIGTERM, SIGUSR1,
                            SIGUSR2, SIGXCPU, SIGXFSZ, SIGSYS,  SIGTRAP};

/* The action is the default again (SA_RESETHAND). A fault occurs once more on return; any other
 * signal is sent again, and comes when this handler has ended. */
static void save(int number, siginfo_t *info, void *context) {
  (void)context;
  held_streams_save();
  join_writes_save();
  if (info->si_code <= 0) SYS2(SYS_kill, SYS1(SYS_getpid, 0), number);
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
  for (size_t n = 0; n < sizeof(fatal) / sizeof(*fatal); n++)
    if (set(fatal[n], NULL, &old) == 0 && old.sa_handler == SIG_DFL) set(fatal[n], &ours, NULL);
}
