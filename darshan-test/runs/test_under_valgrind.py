"""A run under valgrind, preloaded without `darshan run`: its last process starts the merger.

Valgrind follows child processes if requested, but must not follow the merger: this would take
seconds, and valgrind's tools would leave files about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.binding import of_file, rows
from lab.command import finished
from lab.compile import compile_c
from lab.environment import plain, settings

SOURCE = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int put(const char *path, int bytes) {
  static char text[1000];
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  return fd < 0 || write(fd, text, bytes) != bytes || close(fd);
}
int main(void) {
  int status = 1;
  printf("once\\n"); /* in libc's buffer until the end */
  fflush(stdout);
  printf("twice ");
  if (fork() == 0) exit(put("of-child", 7));
  wait(&status);
  return put("of-parent", 100) || status ? 1 : 6;
}
"""


# Behind a filter the runtime asks in a child process whether it may start the merger, and valgrind
# makes no such child: each process then leaves a log of its own.
@pytest.mark.needs("program:valgrind", "no-filter")
@pytest.mark.parametrize("follow", ["yes", "no"])
@pytest.mark.parametrize("tool", ["memcheck", "callgrind"])
def test_the_log_is_made(build: Path, tmp_path: Path, follow: str, tool: str) -> None:
    """A program under a tool of Valgrind prints the same, and leaves a log with all bytes. follow:
    whether Valgrind follows children."""
    for name in ("work", "logs", "journals"):
        (tmp_path / name).mkdir()
    work = tmp_path / "work"
    compile_c(work, SOURCE, "-w", name="forks")
    env = plain() | settings(build, tmp_path / "logs", tmp_path / "journals")
    command = ["valgrind", "-q", f"--tool={tool}"]
    if tool == "callgrind":
        command.append("--callgrind-out-file=profile.%p")
    done = finished([*command, f"--trace-children={follow}", "./forks"], cwd=work, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (6, "once\ntwice twice ", "")
    assert not list((tmp_path / "journals").iterdir())
    (log,) = (tmp_path / "logs").glob("*_forks_id*.darshan")
    assert len(rows(log, "PROCESS")) == 2
    for name, size in (("of-child", 7), ("of-parent", 100)):
        (row,) = of_file(log, work / name)
        assert row["POSIX_BYTES_WRITTEN"] == size
    profiles = list(work.glob("profile.*"))
    assert len(profiles) == (2 if tool == "callgrind" else 0)
