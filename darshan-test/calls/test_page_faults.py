"""The order of page faults in mapped files, which the kernel reports if DARSHAN_PAGE_FAULTS is set.
The programs use known pages in a known order."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.watch import Outcome, watch

MIB = 1 << 20
BLOCK = 4 * MIB  # larger than what one page fault maps
BLOCKS = 24

PROGRAM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { BLOCK = 4 << 20, BLOCKS = 24 };
static volatile char sum;
static char *map;
static sem_t mapped;
static void touch(int number) {
  sum += map[(size_t)number * BLOCK];
}
static void forward(void) {
  for (int i = 0; i < BLOCKS; i++)
    touch(i);
}
static void *in_thread(void *nothing) {
  (void)nothing;
  sem_wait(&mapped);
  for (int i = BLOCKS - 1; i >= 0; i--)
    touch(i);
  return NULL;
}
static void map_it(void) {
  int fd = open("data", O_RDWR);
  map = mmap(NULL, (size_t)BLOCK * BLOCKS, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (map == MAP_FAILED) _exit(2);
}
/* As under a container's filter that refuses perf_event_open. */
static void refused(char **argv) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(3);
  execv(argv[0], (char *[]){argv[0], "forward", NULL});
  _exit(4);
}
int main(int argc, char **argv) {
  const char *what = argv[1];
  pthread_t id;
  if (strcmp(what, "filtered") == 0) refused(argv);
  if (strcmp(what, "thread") == 0) {
    sem_init(&mapped, 0, 0);
    pthread_create(&id, NULL, in_thread, NULL);
    map_it();
    sem_post(&mapped);
    pthread_join(id, NULL);
    return 0;
  }
  map_it();
  if (strcmp(what, "copied") == 0 || strcmp(what, "copied-and-mapped") == 0) {
    char *own = mmap(NULL, (size_t)BLOCK * BLOCKS, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                     open("data", O_RDONLY), 0);
    for (size_t i = 0; i < (size_t)BLOCK * BLOCKS; i += 4096)
      own[i] = 'y';
    if (strcmp(what, "copied") == 0) return 0;
    for (int i = 0; i < 2; i++) {
      map_it();
      touch(0);
    }
    return 0;
  }
  if (strcmp(what, "forward") == 0) forward();
  if (strcmp(what, "unmapped") == 0) {
    forward();
    munmap(map, (size_t)BLOCK * BLOCKS);
  }
  if (strcmp(what, "backward") == 0)
    for (int i = BLOCKS - 1; i >= 0; i--)
      touch(i);
  if (strcmp(what, "jumps") == 0)
    for (int i = 0; i < BLOCKS; i++)
      touch(i * 7 % BLOCKS);
  if (strcmp(what, "all") == 0)
    for (size_t i = 0; i < (size_t)BLOCK * BLOCKS; i += 4096)
      sum += map[i];
  if (strcmp(what, "fork") == 0) {
    touch(0);
    if (fork() == 0) {
      forward();
      _exit(0);
    }
    wait(NULL);
  }
  return argc != 2;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_c(tmp_path_factory.mktemp("faults"), PROGRAM, "-pthread")


def make_data(work: Path) -> None:
    with (work / "data").open("wb") as data:
        for _ in range(BLOCKS):
            data.write(b"x" * BLOCK)


def used(build: Path, program: Path, folder: Path, what: str, **more: str) -> Outcome:
    """Runs the program with page faults recorded, on a file of BLOCKS blocks. Returns the outcome.
    what: the order in which it uses them."""
    more = {"DARSHAN_PAGE_FAULTS": "1"} | more
    outcome = watch(build, folder, [program, what], setup=make_data, **more)
    assert outcome.status == 0 and outcome.stderr == b""
    return outcome


def faults(outcome: Outcome) -> tuple[float, ...]:
    """Returns three numbers: all page faults, those at a higher address than the previous one, and
    those at a slightly higher one."""
    names = ("MMAP_FAULTS", "MMAP_FAULTS_FORWARD", "MMAP_FAULTS_NEAR")
    return tuple(outcome.value("data", f"POSIX_EXT_{name}") for name in names)


@pytest.mark.needs("page-faults", "no-filter")
@pytest.mark.parametrize(
    ("what", "forward"),
    [
        ("forward", BLOCKS - 1),
        ("unmapped", BLOCKS - 1),
        ("backward", 0),
        ("jumps", sum(i * 7 % BLOCKS > (i - 1) * 7 % BLOCKS for i in range(1, BLOCKS))),
        ("thread", 0),
    ],
)
def test_order(what: str, forward: int, build: Path, program: Path, tmp_path: Path) -> None:
    """The record has the number of page faults, and how many of them were at a higher address than
    the previous one. Each block is touched once; a page fault maps less than a block."""
    assert faults(used(build, program, tmp_path, what)) == (BLOCKS, forward, 0)


@pytest.mark.needs("page-faults", "no-filter")
def test_a_file_read_in_order(build: Path, program: Path, tmp_path: Path) -> None:
    """If a file is read in order, each page fault is near the previous one, however many pages a
    fault maps."""
    number, forward, near = faults(used(build, program, tmp_path, "all"))
    assert number >= BLOCK * BLOCKS / (2 << 20)
    assert forward == near == number - 1


@pytest.mark.needs("page-faults", "no-filter")
@pytest.mark.parametrize("then", ["copied", "copied-and-mapped"])
def test_a_full_ring(then: str, build: Path, program: Path, tmp_path: Path) -> None:
    """The ring buffer of page faults overflows, because each page is copied by a fault of its own.
    The kernel reports how many it dropped with the first fault after the ring was read. A program
    that ends before that has dropped at least one."""
    outcome = used(build, program, tmp_path, then)
    number, lost = faults(outcome)[0], outcome.total("POSIX_EXT_MMAP_FAULTS_LOST")
    assert number == pytest.approx(16384, abs=32)
    assert lost == 1 if then == "copied" else 1 < lost <= BLOCK * BLOCKS / 4096 + 8 - number


@pytest.mark.needs("page-faults", "no-filter")
def test_a_child_that_maps_nothing(build: Path, program: Path, tmp_path: Path) -> None:
    """The ring buffers belong to the parent: a forked child does not read them, so the one page
    fault of the parent counts once."""
    assert faults(used(build, program, tmp_path, "fork")) == (1, 0, 0)


def test_switched_off(build: Path, program: Path, tmp_path: Path) -> None:
    """With DARSHAN_PAGE_FAULTS=0, the log has the touched bytes of a mapped file, but not the order
    of its page faults."""
    outcome = used(build, program, tmp_path, "forward", DARSHAN_PAGE_FAULTS="0")
    assert faults(outcome) == (0, 0, 0)
    assert outcome.value("data", "POSIX_EXT_MMAP_TOUCHED") > 0


@pytest.mark.needs("no-filter")
def test_under_a_filter(build: Path, program: Path, tmp_path: Path) -> None:
    """Under a seccomp filter, which might kill the process for perf_event_open, the runtime does
    not make this call. No page fault is counted, and the metadata say so."""
    outcome = used(build, program, tmp_path, "filtered", DARSHAN_FILTER_CALLS="*")
    assert faults(outcome) == (0, 0, 0)
    assert outcome.value("data", "POSIX_EXT_MMAP_TOUCHED") > 0
    assert outcome.log.metadata["page_faults_refused"] == "1"
