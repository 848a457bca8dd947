/* Tests of signal actions. The runtime installs its SIGBUS handler only if the program leaves
 * SIGBUS alone, and the program never sees this handler. */
#include "calls.h"

#include <signal.h>
#include <unistd.h>

OPTIONAL_SYMBOL int __sigaction(int, const struct sigaction *, struct sigaction *);
OPTIONAL_SYMBOL sighandler_t bsd_signal(int, sighandler_t);
OPTIONAL_SYMBOL sighandler_t sysv_signal(int, sighandler_t);
OPTIONAL_SYMBOL sighandler_t __sysv_signal(int, sighandler_t);

static void new_file(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(path, 100, buffer);
}

static void handler(int signal) {
  (void)signal;
}

/* The program reads, sets and restores the action, and never sees the runtime's handler. */
#define ACTION_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    struct sigaction mine = {.sa_handler = handler, .sa_flags = SA_RESTART};                       \
    struct sigaction none = {.sa_handler = SIG_DFL}, seen;                                         \
    need(#name);                                                                                   \
    new_file(in_dir("file"));                                                                      \
    CHECK(C(name(SIGBUS, NULL, &seen)) == 0 && seen.sa_handler == SIG_DFL);                        \
    CHECK(!(seen.sa_flags & (SA_SIGINFO | SA_ONSTACK)));                                           \
    CHECK(C(name(SIGBUS, &mine, &seen)) == 0 && seen.sa_handler == SIG_DFL);                       \
    CHECK(C(name(SIGBUS, NULL, &seen)) == 0 && seen.sa_handler == handler);                        \
    CHECK(C(name(SIGBUS, &none, &seen)) == 0 && seen.sa_handler == handler);                       \
    CHECK(C(name(SIGBUS, NULL, &seen)) == 0 && seen.sa_handler == SIG_DFL);                        \
    CHECK(C(name(SIGKILL, &mine, NULL)) == -1);                                                    \
  }
ACTION_CASE(sigaction)
ACTION_CASE(__sigaction)

#define SIGNAL_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    new_file(in_dir("file"));                                                                      \
    CHECK(C(name(SIGBUS, SIG_IGN)) == SIG_DFL);                                                    \
    CHECK(C(name(SIGBUS, handler)) == SIG_IGN);                                                    \
    CHECK(C(name(SIGBUS, SIG_DFL)) == handler);                                                    \
    CHECK(C(name(SIGBUS, SIG_DFL)) == SIG_DFL);                                                    \
    CHECK(C(name(SIGKILL, handler)) == SIG_ERR);                                                   \
  }
SIGNAL_CASE(signal)
SIGNAL_CASE(ssignal)
SIGNAL_CASE(bsd_signal)
SIGNAL_CASE(sysv_signal)
SIGNAL_CASE(__sysv_signal)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
SIGNAL_CASE(sigset)
