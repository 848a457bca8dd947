"""Waits for locks of files are recorded with their time, and can be cancelled as without the
runtime."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.log import read_logs

# Seconds for which the child holds the lock.
HELD = 0.6

# The child holds the lock while the parent waits for it.
WAITS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static const char *way;
static int take(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (strcmp(way, "flock") == 0) return flock(fd, LOCK_EX);
  if (strcmp(way, "lockf") == 0) return lockf(fd, F_LOCK, 0);
  if (strcmp(way, "number") == 0) return (int)syscall(SYS_flock, fd, LOCK_EX);
  return fcntl(fd, F_SETLKW, &lock);
}
static void *wait_for_it(void *fd) {
  return (void *)(long)take((int)(long)fd);
}
int main(int argc, char **argv) {
  int ends[2];
  char byte;
  way = argv[1];
  if (argc != 3 || pipe(ends)) return 2;
  pid_t child = fork();
  int fd = open("locked", O_CREAT | O_RDWR, 0600);
  if (child == 0) {
    if (take(fd) || write(ends[1], "x", 1) != 1) return 3;
    usleep((useconds_t)(atof(argv[2]) * 1e6));
    return 0;
  }
  if (read(ends[0], &byte, 1) != 1) return 4;
  pthread_t waiting;
  void *result;
  if (pthread_create(&waiting, NULL, wait_for_it, (void *)(long)fd)) return 5;
  if (strcmp(argv[2], "30") == 0) {
    usleep(200000);
    pthread_cancel(waiting);
    usleep(200000);
    int over = pthread_tryjoin_np(waiting, &result) == 0;
    puts(over && result == PTHREAD_CANCELED ? "cancelled" : "waits on");
    kill(child, 9);
    if (!over) pthread_join(waiting, &result);
  } else if (pthread_join(waiting, &result) || result)
    return 6;
  return waitpid(child, NULL, 0) != child;
}
"""
# Functions that wait for a lock; "number": by syscall().
WAYS = ("flock", "lockf", "fcntl", "number")


@pytest.mark.parametrize("way", WAYS)
def test_time_of_a_wait(way: str, build: Path, tmp_path: Path) -> None:
    """The file's record has the seconds of the wait, which are not counted as I/O, and each summary
    says for which lock the program waited."""
    program = compile_c(tmp_path, WAITS, "-include", "signal.h")
    command = [build / "darshan", "run", "-o", "logs", "--", program, way, str(HELD)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    read = read_logs(build / "darshan-parser", log)
    name = str(tmp_path / "locked")
    assert 0.9 * HELD < read.value(name, "POSIX_EXT_F_LOCK_TIME") < 5 * HELD
    assert read.value(name, "POSIX_EXT_LOCKS") == 2
    assert read.value(name, "POSIX_F_META_TIME") < 0.5 * HELD
    told = {}
    for form in (("stat", "-r"), ("report", "--text"), ("report", "--html", "-o", "-")):
        done = subprocess.run(
            [build / "darshan", *form, log], check=True, capture_output=True, text=True
        )
        told[form[-1]] = done.stdout + done.stderr
        assert "Processes wait for locks of files" in told[form[-1]]
        assert "Your I/O is fine" not in told[form[-1]]
    assert re.search(r"^locks +\d+ ms in calls that lock files", told["-r"], re.M)
    assert re.search(r"^Locks of files, and waiting for them .* \d+ ms", told["--text"], re.M)


# A process locks its own file for each of many records.
ALONE = r"""
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
int main(void) {
  char record[64] = {0};
  int fd = open("records", O_CREAT | O_RDWR, 0600);
  for (int i = 0; i < 200000; i++) {
    if (flock(fd, LOCK_EX) || (i % 1000 == 0 && write(fd, record, 64) != 64)) return 1;
    if (flock(fd, LOCK_UN)) return 2;
  }
  return 0;
}
"""


def test_locks_of_one_process(build: Path, tmp_path: Path) -> None:
    """If no other process holds the locks, reports show their number and do not call them waits."""
    program = compile_c(tmp_path, ALONE)
    command = [build / "darshan", "run", "-o", "logs", "--", program]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    (tmp_path / "all").write_text("stake.seconds = 0\n")  # on a busy machine, too
    told = subprocess.run(
        [build / "darshan", "report", "--text", "--thresholds", tmp_path / "all", log],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert "Locks that nobody else holds take much of the run" in told
    assert re.search(r"400,000 calls that\s+set\s+or\s+release\s+locks", told)
    assert "Processes wait for locks" not in told


@pytest.mark.parametrize("way", WAYS)
def test_cancellation(way: str, build: Path, tmp_path: Path) -> None:
    """With the runtime, a thread that waits for a lock can be cancelled exactly as without it: in
    fcntl and lockf, which are cancellation points, and not in flock."""
    program = compile_c(tmp_path, WAITS, "-include", "signal.h")
    bare, watched = both(build, tmp_path, [program, way, "30"])
    assert bare.out == ("cancelled\n" if way in ("fcntl", "lockf") else "waits on\n")
    assert same_end(bare, watched)
