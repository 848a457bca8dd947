/* Writes the bytes that remedies have delayed when a signal ends the process. No handler is
 * installed for a signal that the program handles or ignores. A program that queries a signal sees
 * the default action, and it can also set the default action; in both cases the handler stays
 * installed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../intercept/loader/libc-direct.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"
#include "streams/held-streams.h"

/* Returns 1 if the interrupted instruction caused the signal, so that the signal occurs again when
 * the handler returns; else 0. si_code alone does not show this: an alarm and Ctrl-C also have
 * SI_KERNEL. */
static int is_fault(int number, const siginfo_t *info) {
  static const int faults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGSYS};
  for (size_t n = 0; n < sizeof(faults) / sizeof(*faults); n++)
    if (faults[n] == number) return info->si_code > 0;
  return 0;
}

/* The handler: writes the delayed bytes and lets the signal end the process. The kernel has
 * restored the default action (SA_RESETHAND). A fault occurs again on return. Any other signal is
 * sent again, and is delivered when this handler has returned. */
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

static int watching; /* pid of the process that has the handlers; 0: none */

/* Returns the action of the runtime's handler, `save`. */
static struct sigaction ours(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = save;
  action.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK | SA_RESTART);
  return action;
}

void fatal_signals_watch(void) {
  static int is_done;
  if (__atomic_exchange_n(&is_done, 1, __ATOMIC_ACQ_REL)) return;
  /* Functions that are registered later are called earlier, so these are called last. */
  at_quick_exit(held_streams_write);
  at_quick_exit(join_writes_stop);
  action_function *set = (action_function *)straight_function("sigaction");
  struct sigaction action = ours(), old;
  if (!set) return;
  for (int n = 1; n <= SIGRTMAX; n++)
    if (is_fatal(n) && set(n, NULL, &old) == 0 && old.sa_handler == SIG_DFL) set(n, &action, NULL);
  __atomic_store_n(&watching, (int)SYS1(SYS_getpid, 0), __ATOMIC_RELEASE);
}

/* Returns 1 if the program sets the default action of a signal that has the handler, else 0.
 * Returns 0 in a child, which must not write delayed bytes of its parent; after vfork it even
 * shares the parent's memory. */
static int is_replaced(int number, sighandler_t handler) {
  int process = __atomic_load_n(&watching, __ATOMIC_ACQUIRE);
  return process && handler == SIG_DFL && is_fatal(number) && SYS1(SYS_getpid, 0) == process;
}

/* Returns the handler that the program must see: SIG_DFL in place of the runtime's. */
static sighandler_t seen(sighandler_t handler) {
  return handler == (sighandler_t)(void *)save ? SIG_DFL : handler;
}

#define ACTIONS(F) F(sigaction) F(__sigaction)
#define ACTION(name)                                                                               \
  static action_function *below_##name;                                                            \
  static int instead_of_##name(int number, const struct sigaction *action,                         \
                               struct sigaction *old) {                                            \
    struct sigaction kept = ours();                                                                \
    int is_ours = action && is_replaced(number, action->sa_handler);                               \
    int r = below_##name(number, is_ours ? &kept : action, old);                                   \
    if (r == 0 && old && seen(old->sa_handler) != old->sa_handler) memset(old, 0, sizeof(*old));   \
    return r;                                                                                      \
  }
ACTIONS(ACTION)
#undef ACTION

#define SIGNALS(F) F(signal) F(bsd_signal) F(ssignal) F(sysv_signal) F(__sysv_signal) F(sigset)
#define SIGNAL(name)                                                                               \
  static sighandler_t (*below_##name)(int number, sighandler_t handler);                           \
  static sighandler_t instead_of_##name(int number, sighandler_t handler) {                        \
    sighandler_t before = below_##name(number, handler);                                           \
    action_function *set = (action_function *)straight_function("sigaction");                      \
    struct sigaction kept = ours();                                                                \
    if (before != SIG_ERR && set && is_replaced(number, handler)) set(number, &kept, NULL);        \
    return seen(before);                                                                           \
  }
SIGNALS(SIGNAL)
#undef SIGNAL

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement signal_replacements[] = {ACTIONS(ROW) SIGNALS(ROW){NULL, NULL, NULL}};
