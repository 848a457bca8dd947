"""All calls are recorded, and handlers work as without the runtime, in programs that switch stacks
in a timer's handler, and if signals interrupt the update of a record."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.watch import Outcome
from place import elsewhere

HERE = Path(__file__).parent
ROUNDS = 1000
OTHERS = -(-ROUNDS // 8)


@pytest.fixture(scope="module")
def stacks_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program stacks.c. Returns its path."""
    return compile_c(tmp_path_factory.mktemp("stacks"), (HERE / "stacks.c").read_text())


def wrong_counts(watched: Outcome, stacks: int) -> list[str]:
    """Returns the counters that differ from the calls that stacks.c made."""
    wrong = []
    for n in range(stacks):
        expected = {
            (f"steady.{n}", "POSIX_OPENS"): 1,
            (f"steady.{n}", "POSIX_WRITES"): ROUNDS,
            (f"steady.{n}", "POSIX_BYTES_WRITTEN"): ROUNDS * (n + 1),
            (f"steady.{n}", "POSIX_READS"): ROUNDS,
            (f"other.{n}", "POSIX_OPENS"): OTHERS,
            (f"other.{n}", "POSIX_WRITES"): OTHERS,
            (f"other.{n}", "POSIX_BYTES_WRITTEN"): OTHERS * (100 + n),
            (f"other.{n}", "POSIX_STATS"): OTHERS,
            (f"other.{n}", "POSIX_RENAME_SOURCES"): OTHERS,
            (f"third.{n}", "POSIX_RENAME_TARGETS"): OTHERS,
            (f"third.{n}", "POSIX_EXT_UNLINKS"): OTHERS,
        }
        for (name, counter), value in expected.items():
            if watched.value(name, counter) != value:
                wrong.append(f"{name} {counter}: {watched.value(name, counter)}, not {value}")
    return wrong


@pytest.mark.parametrize("how", ["ucontext", "own"])
@pytest.mark.parametrize(
    "setup",  # stacks, their KiB, threads, microseconds
    [(16, 32, 1, 20), (16, 64, 1, 200), (24, 16, 3, 50), (100, 16, 2, 50)],
)
def test_stacks_that_a_timer_switches(
    build: Path, tmp_path: Path, stacks_program: Path, how: str, setup: tuple[int, int, int, int]
) -> None:
    """Each file has a record that contains exactly the calls of the file's stack."""
    if how == "own" and platform.machine() != "x86_64":
        elsewhere("stacks.c has a switch of its own for x86-64 only")
    stacks, kib, threads, microseconds = setup
    arguments = [how, stacks, kib, ROUNDS, threads, microseconds]
    bare, watched = both(build, tmp_path, [stacks_program, *map(str, arguments)])
    assert bare.status == 0
    assert same_end(bare, watched)
    assert not wrong_counts(watched, stacks)
    names = [path for module, path in watched.records if module == "POSIX"]
    assert len(names) == 3 * stacks


# A handler writes to one file while the program writes to another.
WRITING_HANDLER = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static int own;
static volatile long calls;
static void handler(int signal) {
  (void)signal;
  calls++;
  if (write(own, "abc", 3) != 3) _exit(3);
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  struct itimerval timer = {{0, 30}, {0, 30}}, off = {{0, 0}, {0, 0}};
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  own = open("own", O_RDWR | O_CREAT, 0600);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < 100000; i++)
    if (pwrite(fd, "0123456789", 10, 0) != 10) _exit(4);
  setitimer(ITIMER_REAL, &off, NULL);
  FILE *said = fopen("said", "w");
  fprintf(said, "%ld\n", calls);
  fclose(said);
  return 0;
}
"""


def test_handler_that_writes(build: Path, tmp_path: Path) -> None:
    """Each write of a signal handler is recorded, whichever instruction of the program or of the
    runtime it interrupts."""
    program = compile_c(tmp_path, WRITING_HANDLER)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    calls = int((watched.work / "said").read_text())
    assert calls > 100
    assert watched.value("own", "POSIX_WRITES") == calls
    assert watched.value("own", "POSIX_BYTES_WRITTEN") == 3 * calls
    assert watched.value("data", "POSIX_WRITES") == 100_000


# A queued signal arrives once, in order and with its value.  Masks, flags and old actions are those
# of the program.  SA_RESETHAND removes a handler at its first signal.
MEANINGS = r"""
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SENT = 20000 };
static volatile int next, wrong, once, blocked;
static void in_order(int signal, siginfo_t *info, void *context) {
  sigset_t now;
  if (signal != SIGRTMIN || info->si_code != SI_QUEUE || !context) wrong++;
  if (info->si_value.sival_int != next) wrong++;
  sigprocmask(SIG_BLOCK, NULL, &now);
  blocked += sigismember(&now, SIGRTMIN) && sigismember(&now, SIGUSR2) &&
             !sigismember(&now, SIGHUP);
  next++;
}
static void goes(int signal) {
  (void)signal;
  once++;
}
static void say(const char *what, int value) { printf("%s %d\n", what, value); }
int main(void) {
  struct sigaction action = {.sa_sigaction = in_order, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGRTMIN, &action, NULL);
  sigaction(SIGRTMIN, NULL, &old);
  say("own action", old.sa_sigaction == in_order && (old.sa_flags & SA_RESTART) &&
                        sigismember(&old.sa_mask, SIGUSR2));
  say("own handler", signal(SIGUSR1, goes) == SIG_DFL && signal(SIGUSR1, SIG_IGN) == goes &&
                         signal(SIGUSR1, goes) == SIG_IGN);
  int parent = getpid();
  pid_t sender = fork();
  if (sender == 0) {
    union sigval value = {0};
    while (value.sival_int < SENT)
      if (sigqueue(parent, SIGRTMIN, value) == 0) value.sival_int++;
      else if (errno != EAGAIN) _exit(1);
    _exit(0);
  }
  while (next < SENT)
    if (pwrite(fd, "0123456789", 10, 0) != 10) return 3;
  while (waitpid(sender, NULL, 0) < 0)
    ;
  say("received", next);
  say("wrong", wrong);
  say("blocked in the handler", blocked);
  memset(&action, 0, sizeof(action));
  action.sa_handler = goes;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR2);
  sigaction(SIGUSR2, NULL, &old);
  say("gone", once == 1 && old.sa_handler == SIG_DFL);
  return 0;
}
"""


def test_what_signals_mean(build: Path, tmp_path: Path) -> None:
    """A signal that the runtime delays until the end of an update arrives once, in order and with
    the value that came with it. Masks, flags and old actions are those of the program."""
    program = compile_c(tmp_path, MEANINGS)
    bare, watched = both(build, tmp_path, [program])
    assert bare.status == 0
    assert b"received 20000\nwrong 0\nblocked in the handler 20000\n" in bare.stdout
    assert same_end(bare, watched)


# More handlers than the runtime has signal trampolines.
MANY_HANDLERS = (
    "#include <signal.h>\n#include <stdio.h>\nstatic int seen;\n"
    + "".join(f"static void h{i}(int s) {{ seen += s > 0 ? {i} : 0; }}\n" for i in range(300))
    + "static void (*const all[])(int) = {"
    + ", ".join(f"h{i}" for i in range(300))
    + "};\n"
    + r"""
int main(void) {
  int wrong = 0, sum = 0;
  for (int i = 0; i < 300; i++) {
    struct sigaction action = {.sa_handler = all[i]}, old;
    sigaction(SIGUSR1, &action, &old);
    wrong += i > 0 && old.sa_handler != all[i - 1];
    raise(SIGUSR1);
    sum += i;
  }
  printf("%d %d\n", wrong, seen == sum);
  return 0;
}
"""
)


def test_many_handlers(build: Path, tmp_path: Path) -> None:
    """A program installs more handlers than the runtime has signal trampolines: each handler is
    called, and sigaction returns the previous handler each time."""
    program = compile_c(tmp_path, MANY_HANDLERS)
    bare, watched = both(build, tmp_path, [program])
    assert bare.stdout == b"0 1\n"
    assert same_end(bare, watched)
