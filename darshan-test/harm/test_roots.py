"""After a change of the root directory the runtime writes nothing below the new root: the records
stay in a journal outside, and a line names it. A mount over the folder of logs changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compare import both
from lab.compile import compile_c
from lab.watch import Outcome

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void want(int condition, int line) {
  if (!condition) {
    dprintf(2, "line %d: not so (errno %d)\n", line, errno);
    _exit(1);
  }
}
#define WANT(condition) want((condition) != 0, __LINE__)
static char text[1 << 16];
static void put(const char *name, int n) {
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
  WANT(fd >= 0 && write(fd, text, (size_t)n) == n && close(fd) == 0);
}
static void write_all(const char *file, const char *what) {
  int fd = open(file, O_WRONLY);
  WANT(fd >= 0 && write(fd, what, strlen(what)) == (ssize_t)strlen(what) && close(fd) == 0);
}
static int is(const char *a, const char *b) { return !strcmp(a, b); }

int main(int argc, char **argv) {
  const char *way = argv[1], *logs = argc > 2 ? argv[2] : "/";
  int status, next = is(way, "exec") ? open(logs, O_PATH) : -1;
  if (is(way, "user")) WANT(unshare(CLONE_NEWUSER) == 0);
  put("before", 100);
  WANT(mkdir("jail", 0755) == 0);
  if (is(way, "fails")) {
    WANT(chroot("nowhere") == -1 && errno == ENOENT);
    int next = open("before", O_RDONLY);
    WANT(fcntl(next, F_DUPFD, 900) == 900);
    return 0;
  }
  if (is(way, "mount")) { /* another file system lies over the folder of the logs */
    WANT(unshare(CLONE_NEWNS) == 0 && mount("", "/", "", MS_REC | MS_PRIVATE, NULL) == 0);
    WANT(mount("none", logs, "tmpfs", 0, NULL) == 0);
    put("before", 1);
    return 0;
  }
  if (is(way, "pivot")) {
    WANT(unshare(CLONE_NEWNS) == 0 && mount("", "/", "", MS_REC | MS_PRIVATE, NULL) == 0);
    WANT(mount("jail", "jail", "", MS_BIND, NULL) == 0 && chdir("jail") == 0);
    WANT(syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0);
  } else if (is(way, "number")) {
    WANT(syscall(SYS_chroot, "jail") == 0);
  } else {
    WANT(chroot("jail") == 0);
  }
  put("/inside", 20);
  WANT(chdir("/") == 0);
  put("relative", 3);
  if (is(way, "many")) /* the journal grows */
    for (int i = 0; i < 500; i++) {
      char name[16];
      snprintf(name, sizeof(name), "/many%d", i);
      put(name, 1);
    }
  if (is(way, "closes")) closefrom(3);
  if (is(way, "reuses")) /* every number stands for something else */
    for (int fd = 3; fd < 1024; fd++) dup2(1, fd);
  if (is(way, "forks")) {
    pid_t child = fork();
    if (child == 0) put("/child", 7), exit(0);
    WANT(waitpid(child, &status, 0) == child && status == 0);
  }
  if (is(way, "looks")) {
    int open_ones = 0;
    for (int fd = 3; fd < 4096; fd++) open_ones += fcntl(fd, F_GETFD) != -1;
    puts(open_ones ? "something is open" : "nothing is open");
  }
  if (is(way, "exec")) {
    execl("/nowhere", "nowhere", NULL);
    fexecve(next, (char *[]){"next", NULL}, (char *[]){NULL});
    return 1;
  }
  if (is(way, "_exit")) _exit(0);
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the compiled program."""
    return compile_c(tmp_path_factory.mktemp("roots"), PROGRAM, "-w")


def nothing_in_the_jail(bare: Outcome, watched: Outcome) -> None:
    """Checks that the exit status, standard output, and the files in the program's folders are as
    without the runtime."""
    assert bare.status == 0, bare.stderr
    assert (watched.status, watched.stdout) == (bare.status, bare.stdout), watched.stderr
    names = [
        sorted(str(path.relative_to(work)) for path in work.rglob("*"))
        for work in (bare.work, watched.work)
    ]
    assert names[0] == names[1]


def bytes_are_there(watched: Outcome) -> None:
    """Checks that the records have the bytes of all three files, before and after the change of the
    root."""
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == 100
    assert watched.value("/inside", "POSIX_BYTES_WRITTEN") == 20
    assert watched.value("/relative", "POSIX_BYTES_WRITTEN") == 3


def kept_outside(watched: Outcome) -> None:
    """Checks that there is no log, that the records are in a journal outside the new root, and that
    one line on stderr names the journal."""
    assert not watched.logs and len(watched.journals) == 1
    assert str(watched.journals[0]).encode() in watched.stderr
    assert watched.stderr.count(b"\n") == 1
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == 100


@pytest.mark.needs("chroot")
@pytest.mark.parametrize("way", ["returns", "_exit", "number", "many", "closes", "reuses"])
def test_chroot(way: str, build: Path, program: Path, tmp_path: Path) -> None:
    """After chroot, the program finds nothing of the runtime in the new root, and its bytes are
    recorded outside of it. way: what the program does."""
    bare, watched = both(build, tmp_path, [program, way])
    nothing_in_the_jail(bare, watched)
    kept_outside(watched)
    if way == "many":
        assert b"some records are lost" in watched.stderr
    else:
        bytes_are_there(watched)


@pytest.mark.needs("chroot")
def test_no_descriptor_leads_out(build: Path, program: Path, tmp_path: Path) -> None:
    """Under a new root the program has no descriptors of the runtime, which could lead outside."""
    bare, watched = both(build, tmp_path, [program, "looks"])
    nothing_in_the_jail(bare, watched)
    assert watched.stdout == b"nothing is open\n"


@pytest.mark.needs("chroot")
def test_exec_inside(build: Path, program: Path, tmp_path: Path) -> None:
    """The program calls exec under a new root. The next program does not know the journal, so the
    line names it before the exec."""
    following = compile_c(tmp_path, "int main(void) { return 7; }", "-static", name="next")
    bare, watched = both(build, tmp_path, [program, "exec", following])
    assert (bare.status, watched.status) == (7, 7)
    kept_outside(watched)
    bytes_are_there(watched)


@pytest.mark.needs("root", "runs:unshare -m", "chroot")
@pytest.mark.parametrize("name", ["DARSHAN_LOGFILE", "dated"])
def test_names_of_logs(name: str, build: Path, program: Path, tmp_path: Path) -> None:
    """If the program mounts another file system over the folder of logs, the log still goes to the
    path of DARSHAN_LOGFILE, or into a folder that did not exist yet."""
    extra = {"DARSHAN_LOGFILE": str(tmp_path / "logs" / "one.darshan")}
    if name == "dated":
        extra = {"DARSHAN_LOGPATH": str(tmp_path / "logs" / "to be made" / "here")}
    bare, watched = both(build, tmp_path, [program, "mount", tmp_path / "logs"], extra=extra)
    nothing_in_the_jail(bare, watched)
    assert len(watched.logs) == 1 and not watched.journals
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == 101


@pytest.mark.needs("chroot")
def test_a_child_inside(build: Path, program: Path, tmp_path: Path) -> None:
    """A child process under the new root cannot create a journal, and a line says so."""
    bare, watched = both(build, tmp_path, [program, "forks"])
    nothing_in_the_jail(bare, watched)
    lost, kept = watched.stderr.splitlines()
    assert b"the records are lost" in lost
    watched.stderr = kept + b"\n"
    kept_outside(watched)
    bytes_are_there(watched)


@pytest.mark.needs("root", "runs:unshare -m", "chroot")
@pytest.mark.parametrize("way", ["pivot", "mount"])
def test_mounts(way: str, build: Path, program: Path, tmp_path: Path) -> None:
    """After pivot_root, or if the journals' folder is hidden by a mount, the program runs as before
    and is recorded. way: what the program does."""
    bare, watched = both(build, tmp_path, [program, way, tmp_path / "logs"])
    nothing_in_the_jail(bare, watched)
    if way == "pivot":
        kept_outside(watched)
        bytes_are_there(watched)
    else:
        assert len(watched.logs) == 1 and not watched.journals


def test_a_failed_chroot(build: Path, program: Path, tmp_path: Path) -> None:
    """A chroot that fails changes nothing: the program leaves a log."""
    bare, watched = both(build, tmp_path, [program, "fails"])
    nothing_in_the_jail(bare, watched)
    assert len(watched.logs) == 1 and not watched.journals


@pytest.mark.needs("runs:unshare -U")
def test_without_privileges(build: Path, program: Path, tmp_path: Path) -> None:
    """If an unprivileged user changes the root in a user namespace, all bytes are in the journal
    outside, and the runtime creates no file below the new root."""
    bare, watched = both(build, tmp_path, [program, "user"])
    nothing_in_the_jail(bare, watched)
    kept_outside(watched)
    bytes_are_there(watched)
