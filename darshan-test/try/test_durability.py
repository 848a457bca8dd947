"""`darshan try` measures what fsync costs by runs that omit it, only on a copy, and never
recommends to omit it."""

from __future__ import annotations

import json

from lab.compile import COMPILER, SHARED, compile_c
from lab.environment import preloading

from .conftest import Try, bytes_of
from .test_remedies import script
from .test_writing import left

# The name of the trial without durability among the remedies.
NAME = "durability"
SETTING = f"{NAME}=1"

# Each insert is a transaction. SLOW_DEVICE delays each sync, so that the test does not depend on
# its device. All syncs take more than a second, which is most of the time in I/O even if the system
# reads all modules of Python from a busy disk.
INSERTS = """
import sqlite3
base = sqlite3.connect("results.db", isolation_level=None)
base.execute("CREATE TABLE t (i)")
for i in range(40):
    base.execute("INSERT INTO t VALUES (?)", (i,))
print(base.execute("SELECT sum(i) FROM t").fetchone())
"""
# The line of the inserts.
PLACE = "program.py:6  "
SLOW_DEVICE = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int slowly(long call, int fd) {
  const struct timespec moment = {0, 8000000};
  nanosleep(&moment, NULL);
  return (int)syscall(call, fd);
}
int fsync(int fd) { return slowly(SYS_fsync, fd); }
int fdatasync(int fd) { return slowly(SYS_fdatasync, fd); }
"""

# Writes by every kind of call that waits, reads the data back by others, and makes calls that fail.
WAITS = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static void said(const char *what, int r) { printf("%s %d %d\n", what, r, r < 0 ? errno : 0); }
int main(void) {
  char got[64] = "";
  struct iovec one = {"vector.", 7};
  int ends[2], fd = open("any.x", O_CREAT | O_RDWR | O_SYNC, 0600);
  int other = openat(AT_FDCWD, "any.y", O_CREAT | O_WRONLY | O_DSYNC | O_APPEND, 0640);
  int folder = open(".", O_RDONLY | O_DIRECTORY), path = open("any.x", O_PATH);
  if (fd < 0 || other < 0 || folder < 0 || path < 0 || pipe(ends)) return 9;
  if (write(fd, "written", 7) != 7 || pwritev2(fd, &one, 1, 7, RWF_DSYNC) != 7) return 9;
  if (write(other, "appended", 8) != 8 || ftruncate(fd, 8192)) return 9;
  char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return 9;
  memcpy(map + 4096, "mapped", 6);
  said("msync", msync(map, 8192, MS_SYNC));
  said("both", msync(map, 8192, MS_SYNC | MS_ASYNC));
  said("odd address", msync(map + 1, 10, MS_SYNC));
  said("fsync", fsync(fd)), said("fdatasync", fdatasync(other)), said("folder", fsync(folder));
  said("syncfs", syncfs(fd)), said("by number", (int)syscall(SYS_fsync, fd));
  said("range", sync_file_range(fd, 0, 7, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
  said("bad range", sync_file_range(fd, -1, 7, SYNC_FILE_RANGE_WRITE));
  said("bad flags", sync_file_range(fd, 0, 7, 64));
  said("closed", fsync(77)), said("closed data", fdatasync(-1)), said("closed system", syncfs(77));
  said("pipe", fsync(ends[1])), said("path", fsync(path)), said("O_PATH", syncfs(path));
  said("not there", open("no/such", O_WRONLY | O_SYNC)), sync();
  said("not mapped", (munmap(map, 8192), msync(map, 8192, MS_SYNC)));
  fflush(stdout);
  if (fork() == 0) {
    int in = open("any.x", O_RDONLY);
    if (pread(in, got, 14, 0) != 14 || pread(in, got + 14, 6, 4096) != 6) return 8;
    return puts(got) < 0;
  }
  int status = 1;
  wait(&status);
  return status;
}
"""


def test_what_commits_cost(trial: Try) -> None:
    """For a program that waits for its commits, `darshan try` and the report state the cost of
    durability with the line of the commits. They do not offer a run without durability as a
    remedy."""
    # Without lines of its own, which would be those of the calls.
    bare = (COMPILER, "-O1")
    slow = compile_c(trial.user.parent, SLOW_DEVICE, *SHARED, name="slow.so", first=bare)
    command = preloading(slow, script(trial, INSERTS))
    log = trial.log(*command, clean=True)
    script(trial, INSERTS)
    before = bytes_of(trial.user)
    done = trial.run("--copy", ".", log, "--", *command)
    assert done.returncode == 1, done
    assert bytes_of(trial.user) == before
    told = " ".join(done.stdout.split())
    assert "same output: measured" in told and "durability costs" in told, told
    assert "This is no remedy" in told and "to keep it" not in told, told
    assert f"edit {PLACE.strip()}: Call fsync only at points" in told, told
    whole = json.loads(log.with_suffix(".tried.json").read_text())
    rows = {row["remedy"]: row for row in whole["remedies"]}
    row = rows[NAME]
    assert (row["result"], row["finding"], row["keep"]) == ("measured", "syncs", []), row
    assert row["gain_seconds"] >= 0.2 and row["low"] > 1.1, row
    (instead,) = row["instead"]
    assert instead.startswith(f"{PLACE}commit in larger batches"), row
    said = trial.run_words([str(trial.build / "darshan"), "report", "--text", str(log)]).stdout
    assert "durability costs" in " ".join(said.split()) and "To keep it" not in said, said


def test_no_program_is_broken(trial: Try) -> None:
    """In a run that omits fsync, the process, its child and other descriptors can read the written
    data, and calls that fail without the remedy still fail."""
    program = compile_c(trial.user, WAITS)
    bare = left(trial, "", program)
    assert bare[0] == 0 and str(bare[1]).endswith("writtenvector.mapped\n"), bare
    assert left(trial, SETTING, program) == bare


def test_nothing_to_measure(trial: Try) -> None:
    """`darshan try` makes no run without fsync for a program that never waits for storage, nor if
    its runs may write elsewhere than to a copy; the result has the reason."""
    here = ("--only", NAME)
    quiet = script(trial, "open('any.txt', 'w').write('x')\n")
    _, rows, _ = trial.found(*here, "--copy", ".", "--", *quiet)
    assert rows[NAME]["reason"] == "the program does not ask to wait for the storage device"
    (trial.user / "data").touch()
    waits = script(trial, "import os\nwith open('data') as file: os.fsync(file)\n")
    for options in ((), ("--yes-repeat", "--copy", ".")):
        status, rows, _ = trial.found(*here, *options, "--", *waits)
        assert (status, rows[NAME]["result"]) == (1, "not tried")
        assert "write to a copy and nowhere else" in rows[NAME]["reason"]
