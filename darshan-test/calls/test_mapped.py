"""The bytes of mapped files that programs touched. The programs touch known pages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest
from lab.compile import compile_c
from run_case import parse

PAGE = 4096
SIZE = 32 << 20
HALF = SIZE // 2
LOCKED = 4 << 20  # every process may lock so much
NEW = (
    "MMAP_TOUCHED",
    "MMAP_WRITABLE",
    "MMAP_DIRTY",
    "MMAP_POPULATED",
    "MMAP_UNMEASURED",
    "MMAP_ESTIMATED",
)
Run = Callable[..., "dict[str, int]"]

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { PAGE = 4096, SIZE = 32 << 20, HALF = SIZE / 2, LOCKED = 4 << 20 };
static volatile char sum;
static void touch(const char *map, size_t from, size_t to) {
  for (size_t i = from; i < to; i += PAGE)
    sum += map[i];
}
static char *map_it(int flags, int prot) {
  int fd = open("data", O_RDWR);
  char *map = mmap(NULL, SIZE, prot, flags, fd, 0);
  close(fd);
  if (map == MAP_FAILED) _exit(2);
  return map;
}
/* As on a kernel before 6.7, which has no PAGEMAP_SCAN. */
static void old_kernel(char **argv) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc0606610, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 25),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(3);
  execv(argv[1], argv + 1);
  _exit(4);
}
int main(int argc, char **argv) {
  const char *what = argv[1];
  if (strcmp(what, "./program") == 0) old_kernel(argv);
  int writes = strncmp(what, "write", 5) == 0;
  char *map = map_it(strcmp(what, "populate") == 0  ? MAP_SHARED | MAP_POPULATE
                     : strcmp(what, "private") == 0 ? MAP_PRIVATE
                                                    : MAP_SHARED,
                     writes ? PROT_READ | PROT_WRITE : PROT_READ);
  if (strcmp(what, "nothing") == 0) return 0;
  if (strcmp(what, "write-and-lock") == 0) {
    map[0] = map[4096] = 'x';
    return mlock(map, LOCKED) == 0 ? 0 : 5;
  }
  if (strcmp(what, "random") == 0) {
    unsigned seed = 1;
    for (int i = 0; i < 64; i++, seed = seed * 1103515245 + 12345)
      sum += map[(seed >> 4) % SIZE];
    return 0;
  }
  if (strcmp(what, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      touch(map, 0, HALF);
      _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
  }
  if (strcmp(what, "forks") == 0) {
    for (int i = 0; i < 3; i++)
      if (fork() == 0) {
        touch(map, 0, HALF);
        _exit(0);
      }
    while (wait(NULL) > 0)
      ;
    return 0;
  }
  if (strcmp(what, "child-exits") == 0) {
    touch(map, 0, HALF);
    if (fork() == 0) _exit(0);
    wait(NULL);
    return 0;
  }
  if (writes) {
    for (size_t i = 0; i < HALF; i += PAGE)
      map[i] = 1;
    if (strcmp(what, "write-sync") == 0)
      for (int i = 0; i < 3; i++)
        msync(map, SIZE, MS_SYNC);
    return 0;
  }
  touch(map, 0, HALF);
  if (strcmp(what, "unmap") == 0) munmap(map, SIZE);
  if (strcmp(what, "by-number") == 0) syscall(SYS_munmap, map, SIZE);
  if (strcmp(what, "pieces") == 0)
    for (size_t i = 0; i < SIZE; i += SIZE / 8)
      munmap(map + (i * 5) % SIZE, SIZE / 8);
  if (strcmp(what, "over") == 0)
    mmap(map, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (strcmp(what, "failed-exec") == 0) execl("data", "data", NULL);
  if (strcmp(what, "exec") == 0) execlp("true", "true", NULL);
  if (strcmp(what, "_exit") == 0) _exit(0);
  if (strcmp(what, "again") == 0) {
    madvise(map, SIZE, MADV_DONTNEED);
    touch(map, 0, HALF);
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_c(tmp_path_factory.mktemp("mapped"), PROGRAM, "-w")


@pytest.fixture
def run(build: Path, program: Path, tmp_path: Path) -> Run:
    """Returns a function that runs a command next to a file of random bytes, and returns the
    counters of the file's record."""

    def run(*command: str) -> dict[str, int]:
        (tmp_path / "data").write_bytes(os.urandom(SIZE))
        (tmp_path / "program").unlink(missing_ok=True)
        (tmp_path / "program").symlink_to(program)
        log = tmp_path / "a.darshan"
        log.unlink(missing_ok=True)
        settings = {
            "DARSHAN_LOGFILE": str(log),
            "DARSHAN_MMAP_LOGPATH": str(tmp_path),
            "DARSHAN_FILTER_CALLS": "*",
        }
        subprocess.run(
            [build / "darshan", "run", "-o", tmp_path, *command],
            cwd=tmp_path,
            env=os.environ | settings,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        made = parse(build / "darshan-parser", log)
        return {
            name: int(made.value(str(tmp_path / "data"), f"POSIX_EXT_{name}"))
            for name in ("MMAP_BYTES", *NEW, "MSYNCS", "MSYNC_BYTES")
        }

    return run


@pytest.mark.parametrize(
    "what",
    [
        "end",
        "unmap",
        "by-number",
        "pieces",
        "over",
        "_exit",
        "exec",
        "failed-exec",
        "private",
        "fork",
        "child-exits",
    ],
)
@pytest.mark.parametrize("kernel", [(), ("./program",)], ids=["new", "old"])
def test_half(what: str, kernel: tuple[str, ...], run: Run) -> None:
    """A program touches half of a mapped file, page by page, and ends the mapping in each possible
    way. The log counts half of the bytes as touched."""
    found = run(*kernel, "./program", what)
    assert found["MMAP_BYTES"] == SIZE
    assert found["MMAP_TOUCHED"] == pytest.approx(HALF, rel=0.02)
    assert found["MMAP_WRITABLE"] == found["MMAP_POPULATED"] == found["MMAP_UNMEASURED"] == 0


def test_nothing(run: Run) -> None:
    """A program that touches no page of its mapped file has 0 in the counters of touched bytes."""
    found = run("./program", "nothing")
    assert [found[name] for name in NEW] == [0] * len(NEW)


def test_dropped_and_touched_again(run: Run) -> None:
    """Pages that the program released and touched again count twice."""
    assert run("./program", "again")["MMAP_TOUCHED"] == pytest.approx(SIZE, rel=0.02)


def test_populated(run: Run) -> None:
    """Pages that the kernel mapped at the program's request are not treated as touched."""
    found = run("./program", "populate")
    assert found["MMAP_POPULATED"] == SIZE and found["MMAP_TOUCHED"] == 0


def test_locked(run: Run) -> None:
    """Pages that mlock makes the kernel map are treated as populated. Pages that the program wrote
    before are treated as touched; the first write may have mapped a huge page."""
    found = run("./program", "write-and-lock")
    assert 2 * PAGE <= found["MMAP_TOUCHED"] < LOCKED
    assert found["MMAP_TOUCHED"] + found["MMAP_POPULATED"] == LOCKED


def test_random(run: Run) -> None:
    """The program touches random pages. The kernel maps further pages around each fault, so the
    count is never below the touched pages."""
    found = run("./program", "random")
    assert 32 * PAGE <= found["MMAP_TOUCHED"] <= SIZE


@pytest.mark.parametrize("what", ["write", "write-sync"])
def test_written(what: str, run: Run) -> None:
    """A written page is counted once, with any number of msync calls, and is counted for its own
    file."""
    found = run("./program", what)
    asked = 3 if what == "write-sync" else 0
    assert found["MMAP_TOUCHED"] == found["MMAP_WRITABLE"] == pytest.approx(HALF, rel=0.02)
    assert found["MMAP_DIRTY"] in (-1, found["MMAP_WRITABLE"])
    assert (found["MSYNCS"], found["MSYNC_BYTES"]) == (asked, asked * SIZE)


def test_stat(run: Run, build: Path, tmp_path: Path) -> None:
    """`darshan stat` shows which part of the mapped bytes was touched, for all files and for
    each."""
    run("./program", "end")
    done = subprocess.run(
        [build / "darshan", "stat", "-r", tmp_path / "a.darshan"],
        capture_output=True,
        text=True,
        check=True,
    )
    screen = done.stdout + done.stderr
    assert re.search(
        r"^mapped   16.0 MiB of 32.0 MiB touched; page faults: \d+(, \d+ for storage)?$",
        screen,
        re.M,
    )
    head, row = re.search(r"^(files by time.*)\n(.*/data .*)$", screen, re.M).groups()
    assert head.split()[5:] == ["read", "written", "mapped", "calls", "time"]
    assert row[33:].split()[:6] == ["0", "B", "0", "B", "16.0", "MiB"]


def test_report(run: Run, build: Path, tmp_path: Path) -> None:
    """Every form of the report shows the touched bytes in its table of files, and the page
    faults."""
    run("./program", "end")

    def report(form: str) -> str:
        command = [build / "darshan", "report", f"--{form}", "-o", "-", tmp_path / "a.darshan"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    text = report("text")
    assert re.search(r"/data +32.0 MiB +16.0 MiB\n", text)
    faults = re.search(r"All page faults of the processes: \d+, \d+ waited for storage", text)
    assert faults and faults[0] in report("html")
    (layer,) = [x for x in json.loads(report("json"))["layers"] if x["module"] == "POSIX"]
    (file,) = [f for f in layer["slowest_files"] if f["name"].endswith("/data")]
    assert (file["bytes_mapped"], file["bytes_touched"]) == (SIZE, HALF)


def test_shared(run: Run, build: Path, tmp_path: Path) -> None:
    """Three children touch half of a mapping that they share, each for itself: the screen and the
    report do not say that more of a file was touched than it has."""
    run("./program", "forks")

    def told(*command: str) -> str:
        done = subprocess.run(
            [build / "darshan", *command, tmp_path / "a.darshan"],
            capture_output=True,
            text=True,
            check=True,
        )
        return " ".join((done.stdout + done.stderr).split())

    assert "mapped 48.0 MiB touched by all processes, 32.0 MiB mapped" in told("stat", "-r")
    text = told("report", "--text")
    assert "each process that shares a mapping, as after a fork, counts the pages" in text
    assert "of mapped files were touched" not in text


MEMMAP = """
import numpy as np
data = np.memmap("data", "u1", "r")
assert data[: len(data) // 2].sum() > 0
"""


def test_memmap(run: Run) -> None:
    """For a numpy.memmap of which a Python program reads one half, half of the bytes are
    touched."""
    found = run(sys.executable, "-c", MEMMAP)
    assert found["MMAP_TOUCHED"] == pytest.approx(HALF, rel=0.02)


LARGE = """
import mmap
import random
import sys

HALF = 64 << 10  # what a page fault maps
number, size, how = int(sys.argv[1]), int(sys.argv[2]) << 20, sys.argv[3]
random.seed(1)
with open("data", "r+b") as file:
    file.truncate(size)
    held = [mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) for _ in range(number)]
for mapped in held:
    mapped.madvise(15)  # MADV_NOHUGEPAGE
    half = random.sample(range(0, size, HALF), size // HALF // 2) if how == "random" else None
    whole = size if how == "whole" else size // 2
    for at in range(0, whole, 4096) if half is None else half:
        mapped[at]
with open("/proc/self/smaps") as maps:
    found, ours = 0, False
    for line in maps:
        if line[0] in "0123456789abcdef" and "-" in line.split()[0]:
            ours = line.rstrip().endswith("/data")
        elif ours and line.startswith("Rss:"):
            found += int(line.split()[1]) << 10
with open("truth", "w") as truth:
    truth.write(str(found))
"""


@pytest.mark.parametrize(
    ("how", "within"), [("whole", 0.02), ("half", 0.02), ("random", 0.2)], ids=str
)
@pytest.mark.parametrize("number", [1, 4])
def test_large(how: str, within: float, number: int, run: Run, tmp_path: Path) -> None:
    """The runtime samples the pages of large mappings (2 GiB in `number` files). The touched bytes
    in the log differ from the kernel's own accounting by at most the share `within`."""
    size = 2048 // number
    found = run(sys.executable, "-c", LARGE, str(number), str(size), how)
    truth = int((tmp_path / "truth").read_text())
    assert found["MMAP_BYTES"] == (number * size) << 20
    assert found["MMAP_TOUCHED"] == pytest.approx(truth, rel=within)
    assert found["MMAP_UNMEASURED"] == 0


MANY = """
import mmap
with open("data", "r+b") as file:
    file.truncate(16 << 20)
    held = [mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) for _ in range(128)]
    for mapped in held:
        mapped.madvise(15)  # MADV_NOHUGEPAGE
        for at in range(0, len(mapped), 4096):
            mapped[at]
"""


def test_too_much(run: Run) -> None:
    """If measuring 128 mappings of one file would take too long, the runtime estimates some of them
    or skips them. The log counts those bytes as estimated or unmeasured, and none are missing."""
    found = run(sys.executable, "-c", MANY)
    assert found["MMAP_BYTES"] == 2 << 30
    assert found["MMAP_ESTIMATED"] + found["MMAP_UNMEASURED"] > 0
    told = found["MMAP_TOUCHED"] + found["MMAP_UNMEASURED"]
    assert told == pytest.approx(found["MMAP_BYTES"], rel=0.02)


ANY_ORDER = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { PAGE = 4096, FILES = 40, PAGES = 3 };
static volatile char sum;
static unsigned seed = 7;
static int any(int n) {
  seed = seed * 1103515245 + 12345;
  return (int)((seed >> 16) % (unsigned)n);
}
int main(void) {
  char *maps[FILES] = {0}, name[32];
  long touched[FILES] = {0};
  /* Inspections may take one hundredth of the processor time. */
  while (clock() < CLOCKS_PER_SEC / 2)
    sum++;
  for (int i = 0; i < 240; i++) {
    int file = any(FILES);
    if (i == 120 && fork() == 0) _exit(0);
    if (!maps[file]) {
      snprintf(name, sizeof name, "f%d", file);
      int fd = open(name, O_RDWR), pages = 1 + any(PAGES);
      maps[file] = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
      close(fd);
      if (maps[file] == MAP_FAILED) return 1;
      if (madvise(maps[file], PAGES * PAGE, MADV_RANDOM) != 0) return 2;
      for (int page = 0; page < pages; page++)
        sum += maps[file][page * PAGE];
      touched[file] += pages * PAGE;
    } else if (any(4) == 0) { /* the middle page first: two mappings are left */
      munmap(maps[file] + PAGE, PAGE);
      munmap(maps[file] + 2 * PAGE, PAGE);
      munmap(maps[file], PAGE);
      maps[file] = NULL;
    } else if (any(4) == 0) {
      maps[file] = mremap(maps[file], PAGES * PAGE, (1 << 20) * (1 + any(2)), MREMAP_MAYMOVE);
      if (maps[file] == MAP_FAILED) return 3;
      maps[file] = mremap(maps[file], 1 << 20, PAGES * PAGE, 0);
    } else {
      munmap(maps[file], PAGES * PAGE);
      maps[file] = NULL;
    }
  }
  wait(NULL);
  for (int i = 0; i < FILES; i++)
    printf("%ld\n", touched[i]);
  return 0;
}
"""


def test_many_in_any_order(build: Path, tmp_path: Path) -> None:
    """Forty files are mapped, remapped, partly unmapped and unmapped in a random order, around a
    fork. Each page is counted for its own file. Pages that the kernel maps around a fault are
    treated as touched. A few may be unmeasured, because the time for measuring is limited."""
    program, log = compile_c(tmp_path, ANY_ORDER, "-w"), tmp_path / "a.darshan"
    for i in range(40):
        (tmp_path / f"f{i}").write_bytes(bytes(3 * PAGE))
    done = subprocess.run(
        [build / "darshan", "run", "-o", tmp_path, program],
        cwd=tmp_path,
        env=os.environ | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    made = parse(build / "darshan-parser", log)
    touched = measured = 0
    for i, line in enumerate(done.stdout.split()):
        maps, found, unmeasured = (
            int(made.value(str(tmp_path / f"f{i}"), f"POSIX{name}"))
            for name in ("_MMAPS", "_EXT_MMAP_TOUCHED", "_EXT_MMAP_UNMEASURED")
        )
        assert maps > 0
        assert int(line) <= found + unmeasured and found <= maps * 3 * PAGE
        touched += int(line)
        measured += found
    assert measured > touched * 0.75
