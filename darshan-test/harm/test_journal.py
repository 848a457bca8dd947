"""The journal's file does the program no harm, and what is said of it is true."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from harm.hostile import Outcome, both, compile_c, same_end

THREADS, CALLS = 4, 8

# Each thread writes 10 bytes to a file of its own, some times.
WRITERS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t begin;
static void *writer(void *number) {
  char name[32];
  snprintf(name, sizeof(name), "file-%ld", (long)number);
  pthread_barrier_wait(&begin);
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < CALLS; i++)
    if (write(fd, "0123456789", 10) != 10) return "";
  close(fd);
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  void *failed, *any = NULL;
  pthread_barrier_init(&begin, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, writer, (void *)i);
  for (int i = 0; i < THREADS; i++)
    if (pthread_join(threads[i], &failed) != 0 || failed) any = "";
  return any != NULL;
}
""".replace("CALLS", str(CALLS)).replace("THREADS", str(THREADS))


def bytes_written(outcome: Outcome) -> float:
    """By all records."""
    return outcome.total("POSIX_BYTES_WRITTEN")


@pytest.mark.parametrize("call", ["openat", "ftruncate", "pwrite64", "mmap", "mremap"])
def test_slow_file_system(build: Path, tmp_path: Path, call: str) -> None:
    """A journal that takes its time keeps nobody from counting, and is but one."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    program = compile_c(tmp_path, WRITERS)
    # The first of the journal's calls; openat and mmap are made by all programs.
    when = {"openat": "1+9", "mmap": "20+7"}.get(call, "1")
    delay = 2_000_000 if call == "ftruncate" else 300_000
    inject = f"inject={call}:delay_enter={delay}:when={when}"
    strace = ["strace", "-f", "-qq", "-o", tmp_path / "trace", "-e", f"trace={call}", "-e", inject]
    bare, watched = both(build, tmp_path, [program], traced=strace)
    assert same_end(bare, watched)
    assert bare.status == 0
    assert bytes_written(watched) == THREADS * CALLS * 10
    assert (len(watched.logs), watched.journals) == (1, [])


LIMITED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  char name[32];
  for (int i = 0; i < 600; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || write(fd, name, 6) != 6 || close(fd) != 0) return 2;
    struct rlimit limit = {.rlim_cur = 100 << 10, .rlim_max = RLIM_INFINITY};
    if (i == 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  }
  return 0;
}
"""


def test_limit_of_file_size(build: Path, tmp_path: Path) -> None:
    """A limit that is lowered when records are there holds for the journal, too."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, LIMITED)])
    assert same_end(bare, watched)
    assert bare.status == 0
    assert bytes_written(watched) == 600 * 6


def test_limit_of_file_size_in_a_shell(build: Path, tmp_path: Path) -> None:
    """The same as a shell does it."""
    script = "echo x >a; ulimit -f 100; for i in $(seq 600); do echo x >b$i; done"
    bare, watched = both(build, tmp_path, ["bash", "-c", script])
    assert same_end(bare, watched)
    assert bare.status == 0
