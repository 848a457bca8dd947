"""Programs run under valgrind, or with AddressSanitizer or ThreadSanitizer, and are recorded.

GCC's AddressSanitizer must be the first library of a process and refuses to start after any
preloaded library. It starts if LD_PRELOAD names it first, or with
ASAN_OPTIONS=verify_asan_link_order=0, which `darshan run` sets. Clang links it statically into the
program, where it is always first."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lab.environment import preload
from place import elsewhere, needs

from .sandbox import Outcome, Recorded, Sandbox

# Writes and reads files by descriptors and a stream, and prints "done".
SOURCE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char *block = malloc(100);
  memset(block, 'x', 100);
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  if (write(fd, block, 100) != 100 || pread(fd, block, 50, 10) != 50) return 2;
  close(fd);
  FILE *text = fopen("text", "w");
  fprintf(text, "%d\n", 12345);
  fclose(text);
  free(block);
  puts("done");
  return 0;
}
"""


# Four threads write ten files each.
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
static void *make(void *number) {
  for (int i = 0; i < 10; i++) {
    char name[32];
    sprintf(name, "file-%d-%d", *(int *)number, i);
    FILE *file = fopen(name, "w");
    if (!file || fputs("12345", file) < 0 || fclose(file) != 0) return number;
  }
  return NULL;
}
int main(void) {
  int numbers[4] = {0, 1, 2, 3}, failed = 0;
  pthread_t threads[4];
  void *result;
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, make, &numbers[i]);
  for (int i = 0; i < 4; i++) failed |= pthread_join(threads[i], &result) || result;
  return failed;
}
"""


def compiled(work: Path, *command: str, source: str = SOURCE) -> None:
    """Writes and compiles a C program as `program` in the work folder. command: the compiler with
    its options; source: the program's text."""
    (work / "program.c").write_text(source)
    subprocess.run([*command, "-g", "-o", "program", "program.c"], cwd=work, check=True)
    (work / "program.c").unlink()


def box_with(tmp_path: Path, build: Path, *command: str, source: str = SOURCE) -> Sandbox:
    """Returns a sandbox that compiles the program before each run; skips the test if the compiler
    is missing. command: the compiler with its options."""
    needs(f"program:{command[0]}")
    return Sandbox(tmp_path / "box", build, lambda work: compiled(work, *command, source=source))


def well(bare: Outcome, run: Outcome, recorded: Recorded, work: Path) -> None:
    """Checks that the program printed "done" without and with the runtime, made the same files, and
    that its calls are in the log. work: its folder."""
    assert (run.status, run.stdout, run.stderr) == (0, b"done\n", b"")
    assert (bare.status, bare.stdout, bare.files.keys()) == (0, b"done\n", run.files.keys())
    assert recorded.journals == recorded.others == []
    assert recorded.log.value(f"{work}/data", "POSIX_BYTES_WRITTEN") == 100
    assert recorded.log.value(f"{work}/data", "POSIX_BYTES_READ") == 50
    assert recorded.log.value(f"{work}/text", "STDIO_BYTES_WRITTEN") == 6


def threads_counted(box: Sandbox) -> None:
    """Checks that the log of the last run has all 40 files that the program THREADS wrote."""
    log = box.recorded().log
    for name in (f"{box.work}/file-{i}-{j}" for i in range(4) for j in range(10)):
        assert log.value(name, "STDIO_BYTES_WRITTEN") == 5, name


def test_valgrind(build: Path, tmp_path: Path) -> None:
    """Under valgrind, the program is recorded, and valgrind reports no error and no leak."""
    needs("program:valgrind")
    box = box_with(tmp_path, build, "gcc")
    bare = box.bare(["./program"])
    command = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", "./program"]
    run = box.instrumented(command)
    well(bare, run, box.recorded(), box.work)


def test_valgrind_with_threads(build: Path, tmp_path: Path) -> None:
    """valgrind reports no error in an instrumented program with threads: it does not mistake the
    runtime's memory, on which threads run for a while, for their stacks."""
    needs("program:valgrind")
    box = box_with(tmp_path, build, "gcc", "-pthread", source=THREADS)
    assert box.bare(["./program"]).status == 0
    run = box.instrumented(["valgrind", "-q", "--error-exitcode=9", "./program"])
    assert (run.status, run.stderr) == (0, b"")
    threads_counted(box)


@pytest.mark.parametrize("how", ["preloaded", "unordered"])
def test_gcc_address_sanitizer(how: str, build: Path, tmp_path: Path) -> None:
    """With GCC's AddressSanitizer, the program is recorded if it is preloaded first ("preloaded"),
    or if its order is not verified ("unordered")."""
    box = box_with(tmp_path, build, "gcc", "-fsanitize=address")
    bare = box.bare(["./program"])
    name = ["gcc", "-print-file-name=libasan.so"]
    library = subprocess.run(name, capture_output=True, text=True, check=True).stdout.strip()
    more = {
        "preloaded": preload(os.path.realpath(library), build / "libdarshan.so", between=" "),
        "unordered": {"ASAN_OPTIONS": "verify_asan_link_order=0"},
    }[how]
    run = box.instrumented(["./program"], more)
    well(bare, run, box.recorded(), box.work)


def test_gcc_address_sanitizer_refuses_to_be_second(build: Path, tmp_path: Path) -> None:
    """Without either, GCC's AddressSanitizer ends the program with its own message."""
    box = box_with(tmp_path, build, "gcc", "-fsanitize=address")
    run = box.instrumented(["./program"])
    assert run.status != 0
    assert b"ASan runtime does not come first" in run.stderr


def test_clang_address_sanitizer(build: Path, tmp_path: Path) -> None:
    """A program that Clang compiled with AddressSanitizer ends as without the runtime, and is
    recorded."""
    box = box_with(tmp_path, build, "clang", "-fsanitize=address")
    bare = box.bare(["./program"])
    run = box.instrumented(["./program"])
    well(bare, run, box.recorded(), box.work)


def test_thread_sanitizer(build: Path, tmp_path: Path) -> None:
    """With the option of the user's guide (ignore_noninstrumented_modules), ThreadSanitizer reports
    nothing in an instrumented program with threads, although it does not see the runtime's
    locks."""
    box = box_with(tmp_path, build, "gcc", "-pthread", "-fsanitize=thread", source=THREADS)
    bare = box.bare(["./program"])
    if b"unexpected memory mapping" in bare.stderr:
        elsewhere("this kernel spreads memory wider than ThreadSanitizer knows")
    assert bare.status == 0
    run = box.instrumented(["./program"], {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1"})
    assert (run.status, run.stderr) == (0, b"")
    threads_counted(box)
