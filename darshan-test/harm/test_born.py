"""For an inherited descriptor, calls are counted from its first use on, under the name by which the
program that opened the file used it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from lab.compare import both
from lab.compile import compile_c, compile_for_all
from lab.environment import instrumented
from lab.log import read_logs
from lab.watch import Outcome

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char text[4096];
static void want(int condition, int line) {
  if (!condition) dprintf(2, "line %d\n", line), _exit(1);
}
#define WANT(condition) want((condition), __LINE__)
static void mixed(void) {
  int number;
  WANT(fread(text, 1, 10, stdin) == 10 && getc(stdin) != EOF && scanf("%d", &number) == 1);
  WANT(read(0, text, 5) >= 0);
  WANT(printf("%s\n", "printed") == 8 && fflush(stdout) == 0 && write(1, "by number", 9) == 9);
  WANT(fputs("said\n", stderr) >= 0);
}
static void update(void) { /* 7 is open for both */
  struct stat st;
  WANT(write(7, "12345", 5) == 5);
  WANT(lseek(7, 100, SEEK_SET) == 100 && write(7, "678", 3) == 3);
  WANT(ftruncate(7, 200) == 0 && fstat(7, &st) == 0 && st.st_size == 200);
  WANT(pread(7, text, 50, 100) == 50);
}
static void appends(void) { /* where the end is, nobody knows */
  WANT(lseek(7, 0, SEEK_SET) == 0 && write(7, "12345", 5) == 5);
}
static void high(int far) {
  int fds[] = {900, far};
  for (int i = 0; i < 2; i++) {
    WANT(write(fds[i], "high", 4) == 4);
    WANT(close(fds[i]) == 0);
    int fd = open("other", O_CREAT | O_WRONLY | O_APPEND, 0644);
    WANT(dup2(fd, fds[i]) == fds[i] && write(fds[i], "xx", 2) == 2);
  }
}
static void twice(void) { /* a number that is closed is not a file any more */
  int ends[2];
  WANT(write(1, "one", 3) == 3 && close(1) == 0);
  WANT(pipe(ends) == 0 && ends[0] == 1 && write(ends[1], "not a file", 10) == 10);
  WANT(read(1, text, 10) == 10);
  WANT(close(1) == 0 && open("again", O_CREAT | O_WRONLY, 0644) == 1);
  WANT(write(1, "four", 4) == 4);
}
static void errors(void) {
  errno = 4711;
  WANT(write(1, "a", 1) == 1 && errno == 4711);
  WANT(read(900, text, 1) == -1 && errno == EBADF);
  WANT(read(900, text, 1) == -1 && errno == EBADF);
}
static void caged(void) {
  WANT(chroot(".") == 0 && chdir("/") == 0);
  WANT(write(1, "outside", 7) == 7);
}
static void unused(void) {}
int main(int argc, char **argv) {
#define CASE(name) if (!strcmp(argv[1], #name)) name();
  CASE(mixed) CASE(update) CASE(appends)  CASE(twice) CASE(errors) CASE(caged)
  CASE(unused)
  if (!strcmp(argv[1], "high")) high(atoi(argv[2]));
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program with all cases; its argument selects one. Returns its path."""
    return compile_c(tmp_path_factory.mktemp("born"), PROGRAM, "-w")


def started(build: Path, program: Path, tmp_path: Path, case: str, redirects: str) -> Outcome:
    """Runs a case of PROGRAM; bash opens its descriptors. Checks that exit status and output are
    the same without and with the runtime. redirects: redirections of bash. Returns the outcome with
    the runtime."""
    script = f"ulimit -n $(ulimit -Hn); exec {program} {case} {redirects}"

    def setup(work: Path) -> None:
        (work / "in").write_text("0123456789,42 rest of the text\n" * 500)

    bare, watched = both(build, tmp_path, ["bash", "-c", script], setup)
    assert bare.status == 0, bare.stderr
    assert watched.status == 0, watched.stderr
    assert not watched.journals
    return watched


def test_streams_and_numbers(build: Path, program: Path, tmp_path: Path) -> None:
    """Bytes of inherited streams and descriptors are counted for the files to which a shell
    redirected them."""
    log = started(build, program, tmp_path, "mixed", "<in >out 2>said")
    assert log.value("in", "STDIO_BYTES_READ") == 10 + 1 + 2
    assert log.value("in", "POSIX_READS") == 1
    assert log.value("out", "STDIO_BYTES_WRITTEN") == 8
    assert log.value("out", "POSIX_BYTES_WRITTEN") == 9
    assert log.value("said", "STDIO_BYTES_WRITTEN") == 5
    assert log.value("<STDIN>", "STDIO_READS") == 0
    # These opens are bash's, which duplicates each descriptor once.
    for name in ("in", "out", "said"):
        assert log.value(name, "POSIX_OPENS") == 2
        assert log.value(name, "STDIO_OPENS") == 0


def test_places(build: Path, program: Path, tmp_path: Path) -> None:
    """The offset of an inherited descriptor is unknown until the first seek, and known from then
    on."""
    log = started(build, program, tmp_path, "update", "7<>data")
    assert log.value("data", "POSIX_BYTES_WRITTEN") == 8
    assert log.value("data", "POSIX_EXT_UNPLACED_WRITTEN") == 5
    assert log.value("data", "POSIX_MAX_BYTE_WRITTEN") == 102
    assert log.value("data", "POSIX_MAX_BYTE_READ") == 149
    assert log.value("data", "POSIX_SEEKS") == 1
    assert log.value("data", "POSIX_STATS") == 1
    assert log.value("data", "POSIX_EXT_TRUNCATES") == 1


def test_appending(build: Path, program: Path, tmp_path: Path) -> None:
    """If an inherited descriptor appends, the bytes are counted, but the offset is unknown."""
    log = started(build, program, tmp_path, "appends", "7>>data")
    assert log.value("data", "POSIX_EXT_UNPLACED_WRITTEN") == 5
    assert log.value("data", "POSIX_MAX_BYTE_WRITTEN") == 0


def test_high_numbers(build: Path, program: Path, tmp_path: Path) -> None:
    """Inherited descriptors with numbers in the thousands are counted, too."""
    far = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 1, 20000)
    log = started(build, program, tmp_path, f"high {far}", f"900>low {far}>far")
    for name in ("low", "far", "other"):
        assert log.value(name, "POSIX_BYTES_WRITTEN") == 4


def test_numbers_are_used_again(build: Path, program: Path, tmp_path: Path) -> None:
    """If the number of an inherited descriptor is used for another file, each file has its own
    bytes."""
    log = started(build, program, tmp_path, "twice", ">out")
    assert log.value("out", "POSIX_BYTES_WRITTEN") == 3
    assert log.value("again", "POSIX_BYTES_WRITTEN") == 4
    assert log.total("POSIX_BYTES_WRITTEN") == 7


def test_errno(build: Path, program: Path, tmp_path: Path) -> None:
    """Looking up the name of an inherited descriptor does not change the program's errno."""
    log = started(build, program, tmp_path, "errors", ">out")
    assert log.value("out", "POSIX_BYTES_WRITTEN") == 1


def test_excluded(build: Path, program: Path, tmp_path: Path) -> None:
    """A removed file has its name, and a file in an excluded folder is not counted."""
    log = started(build, program, tmp_path, "mixed", "3<in 4>gone <&3 >&4")
    assert log.value("gone", "POSIX_BYTES_WRITTEN") == 9
    (tmp_path / "second").mkdir()
    log = started(build, program, tmp_path / "second", "errors", ">/dev/shm/darshan-born")
    Path("/dev/shm/darshan-born").unlink()
    assert log.total("POSIX_BYTES_WRITTEN") == 0


def test_what_is_not_used_is_not_looked_at(build: Path, program: Path, tmp_path: Path) -> None:
    """The runtime does nothing for an inherited descriptor that the program does not use."""
    log = started(build, program, tmp_path, "unused", "9<in >out")
    assert log.value("out", "POSIX_OPENS") == 2
    assert log.total("POSIX_EXT_UNPLACED_READ") == log.total("POSIX_STATS") == 0


@pytest.mark.needs("root")
def test_below_another_root(build: Path, program: Path, tmp_path: Path) -> None:
    """Below another root without /proc, an inherited descriptor's file has no name, but its bytes
    are counted."""
    (tmp_path / "journals").mkdir()
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(
            [program, "caged"],
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.PIPE,
            env=instrumented(build, tmp_path / "logs", tmp_path / "journals"),
            check=True,
        )
    found = (tmp_path / "out").stat()
    name = f"<file {os.major(found.st_dev)}:{os.minor(found.st_dev)}/{found.st_ino}>"
    left = sorted((tmp_path / "journals").iterdir())
    records = read_logs(build / "darshan-parser", *left).records
    assert records["POSIX", name]["POSIX_BYTES_WRITTEN"] == 7


@pytest.mark.needs("root", "program:setpriv")
def test_an_ordinary_user(build: Path, tmp_path: Path) -> None:
    """A file that root opened is counted in a program of another user."""
    program = compile_for_all(build, tmp_path, PROGRAM, "born")
    tmp_path.parent.chmod(0o755)
    for name in ("logs", "journals", "work"):
        (tmp_path / name).mkdir(mode=0o777)
        (tmp_path / name).chmod(0o777)
    with (tmp_path / "work" / "out").open("wb") as out:
        subprocess.run(
            [shutil.which("setpriv"), "--reuid=65534", "--clear-groups", program, "errors"],
            cwd=tmp_path / "work",
            stdout=out,
            env=instrumented(tmp_path, tmp_path / "logs", tmp_path / "journals"),
            check=True,
        )
    records = read_logs(build / "darshan-parser", *sorted((tmp_path / "logs").iterdir())).records
    assert records["POSIX", str(tmp_path / "work" / "out")]["POSIX_BYTES_WRITTEN"] == 1


SPAWNS = (  # spawns of Python: posix_spawn, vfork in subprocess, and libc's system
    "import os,subprocess,ctypes\n"
    "out = open('link/out', 'wb', 0)\n"
    "os.set_inheritable(out.fileno(), True)\n"
    "env = dict(os.environ)\n"
    "cat = ['/bin/cat', 'in']\n"
    "moved = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)]\n"
    "os.waitpid(os.posix_spawn(cat[0], cat, env, file_actions=moved), 0)\n"
    "subprocess.run(cat, stdout=out)\n"
    "subprocess.run(['/bin/true'], stdout=open('real/other', 'wb'))\n"
    "ctypes.CDLL(None).system(b'cat in >&%d' % out.fileno())\n"
)
# Scripts by the name under which they write a file: each cat writes 5 bytes.
NAMES = {
    "link/out": {
        "cat in >link/out",
        "cat in >link/out; true",
        "exec 3>link/out; cat in >&3",
        "sh -c 'sh -c \"cat in; true\"; true' >link/out; true",
        "(true; cat in) >link/out",
        "{ sh -c 'cat in &'; cat x; sleep 0.05; } 2>y >link/out; true",
        "cat in >link/out; mv real/out real/new; cat x x 2>/dev/null; true",
    },
    "real/out": {
        "cat in >real/out; true",
        "cd link; cat ../in >out; true",
        "cat in >out.first; mv out.first real/out; cat <real/out >x; cat in >real/out",
    },
}


def told(build: Path, tmp_path: Path, script: list[str]) -> Outcome:
    """Runs a shell script in a folder with a symbolic link. Checks that its processes exit as
    without the runtime. Returns the outcome."""

    def setup(work: Path) -> None:
        (work / "real").mkdir()
        (work / "link").symlink_to("real")
        (work / "in").write_text("five\n")

    bare, watched = both(build, tmp_path, script, setup)
    assert (watched.status, watched.stdout) == (bare.status, bare.stdout)
    assert not watched.journals
    assert len(watched.logs) == 1
    return watched


def of_names(log: Outcome) -> dict[str, float]:
    """Returns the bytes written to the file by each of its names; names without bytes are left
    out."""
    every = ("link/out", "real/out", "link/new", "real/new")
    found = {name: log.value(name, "POSIX_BYTES_WRITTEN") for name in every}
    return {name: n for name, n in found.items() if n}


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize(
    ("name", "script"), [(name, script) for name, each in NAMES.items() for script in sorted(each)]
)
def test_a_file_has_the_name_of_its_opener(
    build: Path, tmp_path: Path, shell: str, name: str, script: str
) -> None:
    """The file has the name by which the shell opened it."""
    assert of_names(told(build, tmp_path, [shell, "-c", script])) == {name: 5}


def test_spawned_programs_hear_it(build: Path, tmp_path: Path) -> None:
    """Programs that Python starts count a file under the name by which Python opened it."""
    assert of_names(told(build, tmp_path, ["python3", "-c", SPAWNS])) == {"link/out": 15}


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_two_names_stay_apart(build: Path, tmp_path: Path, shell: str) -> None:
    """If programs use a file by two names, one after another, the counts of both names are
    separate, also in children."""
    child = "sh -c 'cat in; true'"
    script = f"cat in >link/out; cat in >>real/out; {child} >>link/out; {child} >>real/out; true"
    log = told(build, tmp_path, [shell, "-c", script])
    assert of_names(log) == {"link/out": 10, "real/out": 10}


def test_another_file_has_another_name(build: Path, tmp_path: Path) -> None:
    """After the symbolic link points elsewhere, a file in the old folder gets its own name, not the
    stored one."""
    script = "cat in >link/out; mkdir b; rm link; ln -s b link; cat in >link/out; cat in >>real/out"
    log = told(build, tmp_path, ["sh", "-c", script])
    assert of_names(log) == {"link/out": 10, "real/out": 5}


STRANGE = ("a\nb", " ", "\x1b[2J", "\udcff", "x" * 250, "(deleted)", "out (deleted)", "'", "%s")


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_any_name_is_handed_on(build: Path, tmp_path: Path, shell: str) -> None:
    """A shell redirects output to files with all kinds of unusual names, below a link and in a deep
    folder. Child processes record the files under the names that the shell used."""
    deep = "/".join(["d" * 200] * 5)
    lines = [f'cat in >"link/$each" && cat in >>"{deep}/link/$each"', "done"]
    script = "\n".join(
        [f'mkdir -p {deep}/real; ln -s real {deep}/link; for each in "$@"; do', *lines]
    )
    log = told(
        build, tmp_path, [shell, "-c", script, "-", *map(os.fsdecode, map(os.fsencode, STRANGE))]
    )
    sizes = [row["POSIX_BYTES_WRITTEN"] for row in log.records.values() if "POSIX_OPENS" in row]
    assert sorted(n for n in sizes if n) == [5] * 2 * len(STRANGE)
    assert not [name for _, name in log.records if "/real/" in name]


@pytest.mark.needs("runs:unshare -p -f")
@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_where_numbers_mean_others(build: Path, tmp_path: Path, shell: str) -> None:
    """In a PID namespace that sees the /proc of its parent namespace, names are still right."""
    inside = f"{shell} -c 'cat in >link/out; cat in >>real/out; true'"
    log = told(build, tmp_path, ["sh", "-c", f"unshare -p -f {inside}; true"])
    found = of_names(log)
    assert set(found) <= {"link/out", "real/out"}
    assert sum(found.values()) == 10
    assert log.value("in", "POSIX_BYTES_READ") == 10


def test_a_name_that_somebody_plants(build: Path, tmp_path: Path) -> None:
    """The runtime stores names of inherited files in the run directory. Every byte is counted even
    if a folder, a pipe, another text or a symbolic link is in place of such a stored name."""
    plant = "for f in $DARSHAN_ENABLE_NONMPI/name.*; do rm $f; case $how in "
    plant += "1) mkdir $f;; 2) mkfifo $f;; 3) echo x >$f;; 4) ln -s relative $f;; 5) ln -s / $f;;"
    plant += " esac; done"
    script = (
        f"exec 3>link/out; cat in >&3; for how in 1 2 3 4 5; do {plant}; cat in >&3; done; true"
    )
    found = of_names(told(build, tmp_path, ["bash", "-c", script]))
    assert sum(found.values()) == 30


SUBSTITUTIONS = (  # bash: writes of builtins to a pipe, after a builtin wrote to a file
    "x=$(echo aaaaaaaaaaaaa)",
    "x=`printf %s aaaaaaaaaaaaa; type ls`",
    "f() { echo aaaaaaaaaaaaa; x=$(pwd; echo a); echo b; }; x=$(f)",
    "echo aaaaaaaaaaaaa | while read x; do echo $x; done | { read x; echo $x; } >&2",
    "coproc { echo aaaaaaaaaaaaa; read x; }; read x <&${COPROC[0]}; echo >&${COPROC[1]}; wait",
)


def test_a_substitution_after_a_redirection(build: Path, tmp_path: Path) -> None:
    """If bash runs a command substitution after it redirected output, the bytes that its builtins
    write are counted for the file that they are written to, and not for one that an earlier builtin
    used."""
    lines = [f"echo {i} >>out; {text}" for i, text in enumerate(SUBSTITUTIONS)]
    script = "\n".join([*lines, "exec >elsewhere", *lines, "exec >/dev/null", *lines, ":"])
    bare, watched = both(build, tmp_path, ["bash", "-c", script])
    assert (watched.status, watched.stdout) == (bare.status, bare.stdout) and bare.status == 0
    assert watched.value("out", "STDIO_BYTES_WRITTEN") == len("1\n") * len(lines) * 3
    assert watched.value("out", "POSIX_BYTES_WRITTEN") == 0
    assert (watched.work / "elsewhere").stat().st_size == 0
    assert watched.value("elsewhere", "STDIO_BYTES_WRITTEN") == 0
