"""A file that a program names by a descriptor (/dev/stdin, /dev/fd/5) is recorded by its own name.
Also tested: names relative to a removed folder, and the logs of an inner instrumented run."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.log import read_logs
from lab.watch import Outcome, run

PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static char text[4096];
static void want(int condition, int line) {
  if (!condition) dprintf(2, "line %d\n", line), _exit(1);
}
#define WANT(condition) want((condition) != 0, __LINE__)
static void put(int fd, int n) { WANT(fd >= 0 && write(fd, text, n) == n && close(fd) == 0); }
static void print(FILE *file) { WANT(file && fputs("12345", file) >= 0 && fclose(file) == 0); }
static void by_names(void) {
  char name[64];
  int fd = open("link/a", O_CREAT | O_RDWR, 0644), ends[2];
  WANT(dup2(fd, 5) == 5);
  put(open("/dev/fd/5", O_WRONLY), 1);
  put(open("/dev/../dev/./fd//5", O_WRONLY), 2);
  put(open("/proc/self/fd/5", O_WRONLY), 4);
  put(open("/proc/thread-self/fd/5", O_WRONLY), 8);
  snprintf(name, sizeof name, "/proc/%d/fd/5", (int)getpid());
  put(openat(fd, name, O_WRONLY), 16);
  put((int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY, 0), 32);
  snprintf(name, sizeof name, "/proc/self/task/%d/fd/5", (int)getpid());
  put(creat(name, 0644), 64);
  WANT(chdir("/dev/fd") == 0);
  put(open("5", O_WRONLY), 128);
  print(fopen("/dev/fd/5", "w"));
  put(open("/dev/stdin", O_WRONLY), 3); /* b, by another name than that of the run */
  put(open("/dev/null", O_WRONLY), 700);
  WANT(pipe(ends) == 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
  put(open(name, O_WRONLY), 700);
  WANT(open("/proc/self/fd/77", O_WRONLY) == -1 && open("/proc/self/stat", O_RDONLY) >= 0);
}
static void removed(void) {
  struct stat st;
  WANT(mkdir("gone", 0755) == 0);
  int folder = open("gone", O_RDONLY | O_DIRECTORY);
  WANT(chdir("gone") == 0 && rmdir("../gone") == 0);
  put(open("../a", O_CREAT | O_WRONLY, 0644), 10);
  put(open(".//../a", O_WRONLY | O_APPEND), 20);
  put(openat(folder, "../b", O_CREAT | O_WRONLY, 0644), 40);
  put(open("/proc/self/cwd/../b", O_WRONLY | O_APPEND), 50);
  print(fopen("../c", "w"));
  WANT(stat("../c", &st) == 0 && st.st_size == 5);
  WANT(rename("../c", "../d") == 0 && unlink("../nothing") == -1);
  WANT(chdir("..") == 0), put(open("e", O_CREAT | O_WRONLY, 0644), 1);
}
int main(int argc, char **argv) {
  if (!strcmp(argv[1], "by_names")) by_names();
  if (!strcmp(argv[1], "removed")) removed();
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program with both cases, which are chosen by name. Returns its path."""
    return compile_c(tmp_path_factory.mktemp("stand-ins"), PROGRAM, "-w")


def written(log: Outcome) -> dict[str, float]:
    """Returns the bytes written by file name relative to the working folder, including those of
    STDIO."""
    found: dict[str, float] = {}
    for (_, path), row in log.records.items():
        n = sum(row.get(f"{module}_BYTES_WRITTEN", 0) for module in ("POSIX", "STDIO"))
        if n:
            name = path.removeprefix(f"{log.work}/")
            found[name] = found.get(name, 0) + n
    return found


def whole(log: Outcome) -> bool:
    """Returns whether no record is the overflow record."""
    return not [name for _, name in log.records if "overflow" in name]


def test_what_a_number_stands_for(build: Path, program: Path, tmp_path: Path) -> None:
    """The record of a file that is named by a descriptor has the file's own name; pipes, devices
    and files of /proc are not recorded."""

    def setup(work: Path) -> None:
        (work / "real").mkdir()
        (work / "link").symlink_to("real")

    script = f"exec 0<>link/b; exec {program} by_names"
    bare, watched = both(build, tmp_path, ["bash", "-c", script], setup)
    assert bare.status == 0, bare.stderr
    assert same_end(bare, watched), watched.stderr
    assert written(watched) == {"link/a": 255 + 5, "link/b": 3}
    # its open, its dup2, and opens by descriptor
    assert watched.value("link/a", "POSIX_OPENS") == 1 + 1 + 8
    assert not [name for _, name in watched.records if name.startswith(("/dev", "/proc"))]


def test_a_pipeline_of_stand_ins(build: Path, tmp_path: Path) -> None:
    """In a pipeline with /dev/stdin, /dev/fd and /dev/stdout, bytes are counted for the files that
    these names stand for."""
    script = (
        "cat /dev/stdin <in | gzip -c >z; gzip -dc /dev/fd/5 5<z >o; "
        "tee /dev/fd/6 6>six <in >/dev/null; perl -e 'open F,q(>/dev/stdout); print F 1 x 99' >o9"
    )

    def setup(work: Path) -> None:
        (work / "in").write_text("0123456789\n" * 1000)

    bare, watched = both(build, tmp_path, ["bash", "-c", script], setup)
    assert bare.status == 0 and same_end(bare, watched), watched.stderr
    sizes = {name: (watched.work / name).stat().st_size for name in ("z", "o", "six", "o9")}
    found = written(watched)
    assert {name: found.get(name) for name in sizes} == sizes
    assert watched.value("z", "POSIX_BYTES_READ") == sizes["z"]
    assert watched.value("in", "POSIX_BYTES_READ") == 2 * 11000


def test_a_folder_that_was_removed(build: Path, program: Path, tmp_path: Path) -> None:
    """An open file has the name that the kernel reports; other names relative to the removed folder
    are recorded below an unknown folder."""
    bare, watched = both(build, tmp_path, [program, "removed"])
    assert bare.status == 0, bare.stderr
    assert same_end(bare, watched), watched.stderr
    assert len(watched.logs) == 1 and whole(watched)
    found = written(watched)
    assert found.pop("b", 0) + found.pop("gone/../b", 0) == 90
    assert found == {"a": 30, "c": 5, "e": 1}
    assert watched.value("<unknown folder>/../c", "POSIX_STATS") == 1
    assert "POSIX_OPENS" in watched.records["POSIX", str(watched.work / "a")]


def test_a_run_inside_of_a_run(build: Path, tmp_path: Path) -> None:
    """If an instrumented program starts another instrumented run, logs and journals of the inner
    run are not recorded as the user's files."""
    own = "darshan-run.1.mine"  # resembles a run directory
    (tmp_path / own).mkdir()
    inner = [build / "darshan", "run", "-o", tmp_path / "inner", "true"]
    save = f"echo x >{own}/data; " + " ".join(map(str, inner))
    done = run([build / "darshan", "run", "-o", tmp_path / "outer", "bash", "-c", save], tmp_path)
    assert done.status == 0, done.stderr
    records = read_logs(
        build / "darshan-parser", *sorted((tmp_path / "outer").glob("*.darshan"))
    ).records
    files = {name for _, name in records}
    assert str(tmp_path / own / "data") in files
    kept = {name for name in files if Path(name).parent.name.startswith("darshan-run.")}
    assert kept == {str(tmp_path / own / "data")}
