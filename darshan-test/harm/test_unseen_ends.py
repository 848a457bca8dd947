"""If a program ends without a call of libc, the log is written, and its metadata have only what the
runtime knows."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab.command import finished
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import instrumented
from lab.log import metadata_of
from lab.watch import SECONDS, Outcome

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;
static char stack[65536] __attribute__((aligned(16)));
static void put(int n) {
  for (int i = 0; i < n; i++)
    if (write(file, "0123456789", 10) != 10) abort();
}
static void *leave(void *unused) {
  put(3);
  syscall(SYS_exit, 0);
  return unused;
}
static int child(void *unused) {
  (void)unused;
  file = open("of-child", O_CREAT | O_WRONLY, 0644);
  put(7);
  return 5;
}
/* Lives on when its parent has ended, without the pipe of our output. */
static int survivor(void *unused) {
  child(unused);
  alarm(120); /* a test that fails leaves nobody behind */
  int go;
  while ((go = open("go", O_RDONLY)) < 0) usleep(1000);
  put(2);
  exit(0);
}

int main(int argc, char **argv) {
  char *empty[] = {NULL}, *echo[] = {"/bin/echo", "became", NULL};
  const char *deed = argv[1];
  int status;
  (void)argc;
  file = open("file", O_CREAT | O_WRONLY, 0644);
  put(10);
  if (!strcmp(deed, "exit_group")) syscall(SYS_exit_group, 9);
  if (!strcmp(deed, "exit")) syscall(SYS_exit, 9);
  if (!strcmp(deed, "execve")) syscall(SYS_execve, echo[0], echo, empty);
  if (!strcmp(deed, "execveat")) syscall(SYS_execveat, AT_FDCWD, echo[0], echo, empty, 0);
  if (!strcmp(deed, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    put(1);
  }
  if (!strcmp(deed, "execve-fails")) {
    for (int i = 0; i < 2; i++) syscall(SYS_execve, i ? "/etc/passwd" : "/nowhere", echo, empty);
    syscall(SYS_execveat, AT_FDCWD, "/etc/passwd", echo, empty, 0);
    put(4);
  }
  if (!strcmp(deed, "clone")) {
    pid_t pid = clone(child, stack + sizeof(stack), SIGCHLD, NULL);
    if (waitpid(pid, &status, 0) != pid) abort();
    printf("%d\n", WEXITSTATUS(status));
    put(1);
  }
  if (!strcmp(deed, "dies")) raise(SIGKILL);
  if (!strcmp(deed, "killed")) {
    pid_t pid = fork();
    if (pid == 0) child(NULL), raise(SIGKILL);
    if (waitpid(pid, &status, 0) != pid) abort();
  }
  if (!strcmp(deed, "survivor")) {
    if (clone(survivor, stack + sizeof(stack), CLONE_NEWPID | SIGCHLD, NULL) < 0) abort();
    while (access("of-child", F_OK) != 0) usleep(1000);
    usleep(10000); /* it writes, too */
  }
  return 2;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the compiled program."""
    return compile_c(tmp_path_factory.mktemp("ends"), PROGRAM, "-w")


@pytest.mark.parametrize(
    ("deed", "end"),
    [
        ("exit_group", (9, 10)),
        ("exit", (9, 10)),
        ("execve", (0, 10)),
        ("execveat", (0, 10)),
        ("execve-fails", (2, 14)),
        ("thread", (2, 14)),
    ],
)
def test_by_number(
    deed: str, end: tuple[int, int], build: Path, program: Path, tmp_path: Path
) -> None:
    """A process ends, or starts another program, by a system call number. end: the exit status of
    the process, and the number of its writes to "file" in its log."""
    status, calls = end
    bare, watched = both(build, tmp_path, [program, deed])
    assert bare.status == status and same_end(bare, watched), watched.stderr
    assert (len(watched.logs), watched.journals) == (1, [])
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 10 * calls


def test_function_of_a_clone_returns(build: Path, program: Path, tmp_path: Path) -> None:
    """If the function of a clone child returns, and the child has its own memory, it is recorded
    like any other child."""
    bare, watched = both(build, tmp_path, [program, "clone"])
    assert bare.stdout == b"5\n" and same_end(bare, watched), watched.stderr
    assert (len(watched.logs), watched.journals) == (1, [])
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 110
    assert watched.value("of-child", "POSIX_BYTES_WRITTEN") == 70
    assert all("end" not in metadata_of(build / "darshan-parser", log) for log in watched.logs)


def log_of(name: str, watched: Outcome, build: Path) -> dict[str, str]:
    """Returns the metadata of the first log that contains a file with this name; raises
    AssertionError if there is none."""
    for log in watched.logs:
        rows = subprocess.run([build / "darshan-parser", log], check=True, capture_output=True)
        if f"/{name}\t".encode() in rows.stdout:
            return metadata_of(build / "darshan-parser", log)
    raise AssertionError(name)


def test_nobody_knows_how_a_child_ended(build: Path, program: Path, tmp_path: Path) -> None:
    """If nothing saw how a child ended, its log says so."""
    bare, watched = both(build, tmp_path, [program, "killed"], extra={"DARSHAN_JOB_TREE": "0"})
    assert bare.status == 2 and same_end(bare, watched), watched.stderr
    end = log_of("of-child", watched, build)["end"]
    assert end == "not seen; log written from its journal when it was gone"


@pytest.mark.needs("root", "runs:unshare -p -f")
@pytest.mark.parametrize("tree", ["1", "0"])
def test_child_with_other_process_ids_lives(
    tree: str, build: Path, program: Path, tmp_path: Path
) -> None:
    """A child in another PID namespace has an id there that the parent does not know. While the
    child lives, the parent must not treat its journal as one whose process has ended."""
    work, logs, journals = (tmp_path / name for name in ("work", "logs", "journals"))
    for place in (work, logs, journals):
        place.mkdir()
    said = tmp_path / "said"
    with said.open("wb") as stderr:
        done = subprocess.run(
            [program, "survivor"],
            cwd=work,
            env=instrumented(build, logs, journals) | {"DARSHAN_JOB_TREE": tree},
            stdin=subprocess.DEVNULL,
            stderr=stderr,
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 2
    assert list(logs.iterdir()) == [] or tree == "0"
    (journal,) = journals.iterdir()
    line = f"a child process in another PID namespace may still run; its records are in {journal}"
    expected = f"darshan_library_warning: {line}\n" if tree == "0" else ""
    assert said.read_text() == expected
    (work / "go").touch()
    for _ in range(SECONDS * 100):
        if not any(journals.iterdir()):
            break
        time.sleep(0.01)
    found = Outcome(0, b"", b"", work, sorted(logs.glob("*.darshan")))
    assert not any(journals.iterdir()) and len(found.logs) == (2 if tree == "0" else 1)
    assert "end" not in log_of("of-child", found, build)


@pytest.mark.needs("root", "runs:unshare -m sh -c 'mount -t tmpfs tmpfs /proc'")
@pytest.mark.parametrize("way", ["path", "PATH", "relative"])
def test_front_without_proc(way: str, build: Path, tmp_path: Path) -> None:
    """If /proc is not mounted, as in some containers, the command `darshan` finds its library, also
    if it was started through PATH or by a relative path."""
    where = {"path": f"{build}/darshan", "PATH": "darshan", "relative": "./darshan"}[way]
    folder = f"cd {build}; " if way == "relative" else ""
    script = (
        f'mount -t tmpfs tmpfs /proc; {folder}{where} stat -o "$1" dd if=/dev/zero '
        'of="$1/copy" bs=1000 count=3 status=none'
    )
    done = finished(
        ["unshare", "-m", "sh", "-c", script, "sh", tmp_path],
        cwd=tmp_path,
        env={"PATH": f"{build}:{os.environ['PATH']}", "DARSHAN_MMAP_LOGPATH": str(tmp_path)},
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert "cannot find" not in done.stderr
    (log,) = tmp_path.glob("*.darshan")
    assert done.stderr.endswith(f"darshan: log: {log}\n")


def test_line_says_what_is_known(build: Path, program: Path, tmp_path: Path) -> None:
    """The message about an orphaned journal does not claim that a signal killed its process,
    because the runtime does not know that."""
    done = finished(
        [build / "darshan", "run", "-o", tmp_path, program, "dies"],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "DARSHAN_MMAP_LOGPATH": str(tmp_path),
            "DARSHAN_JOB_TREE": "0",
        },
        timeout=SECONDS,
    )
    assert done.returncode == -signal.SIGKILL
    (journal,) = tmp_path.glob("darshan-run*/*_mmap-log-*")
    said = "1 process, killed, ended unseen or still running, left this journal"
    assert done.stderr == f"darshan: {said}: {journal}\n"
