"""Signals that interrupt wrappers at any instruction, thousands of times, with handlers that jump
away, wait for another thread, or return."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c

# Writes until the given number is reached, while a timer's handler jumps out of the code that it
# interrupts.  Prints how many writes certainly took place and how often it jumped.
JUMPS = r"""
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile long jumps, done;
static void handler(int signal) {
  (void)signal;
  jumps++;
  siglongjmp(back, 1);
}
/* From another depth of the stack each time. */
__attribute__((noinline)) static void writes(int fd, long wanted, long depth) {
  volatile char frame[256 * (depth % 16 + 1)];
  frame[0] = 1;
  while (done < wanted) {
    if (pwrite(fd, "0123456789", 10, 0) != 10) _exit(3);
    done++;
  }
  frame[1] = frame[0];
}
int main(int argc, char **argv) {
  long wanted = atol(argv[1]), every = atol(argv[2]);
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  struct sigaction action = {.sa_handler = handler};
  struct itimerval timer = {{0, every}, {0, every}}, off = {{0, 0}, {0, 0}};
  (void)argc;
  sigaction(SIGALRM, &action, NULL);
  sigsetjmp(back, 1);
  if (jumps == 0) setitimer(ITIMER_REAL, &timer, NULL);
  writes(fd, wanted, jumps);
  setitimer(ITIMER_REAL, &off, NULL);
  FILE *said = fopen("said", "w");
  fprintf(said, "%ld %ld\n", done, jumps);
  fclose(said);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("writes", "microseconds"), [(20_000, 10_000), (200_000, 1000), (400_000, 100)]
)
def test_jumps_out_of_a_handler(
    build: Path, tmp_path: Path, writes: int, microseconds: int
) -> None:
    """A handler of SIGALRM leaves wrappers by siglongjmp, 100 to 10,000 times per second: no thread
    waits forever for a lock, and each write is counted. An interrupted write may be counted or not,
    so the count may differ by the number of jumps."""
    program = compile_c(tmp_path, JUMPS)
    bare, watched = both(build, tmp_path, [program, str(writes), str(microseconds)])
    assert same_end(bare, watched)
    done, jumps = map(int, (watched.work / "said").read_text().split())
    assert done == writes
    counted = watched.value("data", "POSIX_WRITES")
    assert done - jumps <= counted <= done + jumps
    assert done - jumps <= watched.value("data", "POSIX_BYTES_WRITTEN") / 10 <= done + jumps
    assert len(watched.logs) == 1
    assert not watched.journals


# A thread is cancelled between or inside its writes, again and again.  Another thread uses the same
# file and must not wait for an abandoned lock.
CANCELS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static int fd;
static long cancelled;
static void *writes(void *unused) {
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  for (;;)
    if (pwrite(fd, "0123456789", 10, 0) != 10) _exit(3);
  return unused;
}
int main(void) {
  fd = open("data", O_RDWR | O_CREAT, 0600);
  for (; cancelled < 300; cancelled++) {
    pthread_t thread;
    struct timespec nap = {0, 100000 + 1000 * cancelled};
    if (pthread_create(&thread, NULL, writes, NULL) != 0) return 2;
    nanosleep(&nap, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    if (pread(fd, &nap, 1, 0) < 0) return 3;
  }
  return 0;
}
"""


def test_cancelled_threads(build: Path, tmp_path: Path) -> None:
    """After a thread was cancelled asynchronously in a wrapper, other threads take over the lock
    that it held."""
    program = compile_c(tmp_path, CANCELS)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert watched.value("data", "POSIX_READS") == 300
    assert len(watched.logs) == 1
    assert not watched.journals


# Blocks a signal that a fault could raise, sends it to itself and does I/O.  Then it receives the
# signal by sigwait, or never: at exit it is still pending.
WAITING = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int number = atoi(argv[1]), got = 0;
  sigset_t set;
  sigfillset(&set);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), number);
  int fd = open("data", O_WRONLY | O_CREAT, 0600);
  if (write(fd, "0123456789", 10) != 10) return 3;
  if (fork() == 0) _exit(0);
  if (argc > 2) return 0;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigwait(&set, &got);
  printf("%d\n", got);
  return got != number;
}
"""


@pytest.mark.parametrize("name", ["ILL", "TRAP", "BUS", "FPE", "SEGV", "SYS"])
@pytest.mark.parametrize("never", [[], ["never"]])
def test_signal_that_waits(build: Path, tmp_path: Path, name: str, never: list[str]) -> None:
    """If the program blocks a signal and sends it to itself, the signal stays pending during its
    I/O, although the runtime changes the signal mask. never: whether it is still pending at
    exit."""
    program = compile_c(tmp_path, WAITING)
    number = str(int(signal.Signals[f"SIG{name}"]))
    bare, watched = both(build, tmp_path, [program, number, *never])
    assert same_end(bare, watched)
    assert watched.status == 0
    assert watched.value("data", "POSIX_BYTES_WRITTEN") == 10


# A handler waits until another thread has written to the same file and created a new one.  It
# interrupts writes and opens at any instruction, also where they hold a lock.
WAITS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int ask[2], answer[2], data;
static volatile int done;
static void fail(void) {
  _exit(3);
}
static void handler(int signal) {
  char byte = 'x';
  (void)signal;
  if (write(ask[1], &byte, 1) != 1) fail();
  while (read(answer[0], &byte, 1) != 1)
    ;
}
static void make(char who, int number) {
  char name[32];
  snprintf(name, sizeof(name), "%c%d", who, number);
  int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0 || pwrite(data, name, 2, 0) != 2 || close(fd) != 0) fail();
}
static void *helps(void *unused) {
  char byte;
  for (int number = 0; read(ask[0], &byte, 1) == 1 && byte != 'e'; number++) {
    make('h', number);
    if (write(answer[1], &byte, 1) != 1) fail();
  }
  return unused;
}
static void *works(void *unused) {
  for (int number = 0; !done; number++)
    make('w', number);
  return unused;
}
int main(void) {
  pthread_t helper, worker;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  data = open("data", O_RDWR | O_CREAT, 0600);
  if (pipe(ask) < 0 || pipe(answer) < 0) fail();
  pthread_create(&helper, NULL, helps, NULL);
  pthread_create(&worker, NULL, works, NULL);
  for (int i = 0; i < 1500; i++) {
    pthread_kill(worker, SIGUSR1);
    usleep(200 + i % 50);
  }
  done = 1;
  pthread_join(worker, NULL);
  if (write(ask[1], "e", 1) != 1) fail();
  pthread_join(helper, NULL);
  return 0;
}
"""


def test_a_handler_waits_for_another_thread(build: Path, tmp_path: Path) -> None:
    """Other threads do not wait long for a lock whose holder is interrupted by a handler that waits
    for one of them."""
    program = compile_c(tmp_path, WAITS, "-pthread")
    bare, watched = both(build, tmp_path, [program])
    assert (bare.status, bare.stdout) == (watched.status, watched.stdout)
    assert not bare.stderr
    assert not watched.stderr or b"the runtime dropped some calls" in watched.stderr
    assert len(watched.logs) == 1
    assert not watched.journals
