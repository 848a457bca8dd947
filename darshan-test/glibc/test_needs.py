"""Tests needs.py, which finds symbols of a newer glibc, on programs with and without them."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from lab.command import finished
from lab.compile import compile_c
from place import elsewhere
from tree import SOURCE

NEEDS = Path(__file__).with_name("needs.py")
# The options and sources with which this build compiles for an older glibc.
VERSIONS = ["-include", str(SOURCE / "runtime/glibc/versions.h")]
OURS = [SOURCE / "util/glibc/start.c", SOURCE / "util/glibc/stat.c"]
# A program with symbols that are newer today.
PROGRAM = """
#define _FILE_OFFSET_BITS 64
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
static int begun;
__attribute__((constructor)) static void begin(void) { begun++; }
__attribute__((destructor)) static void end(void) { puts("ended"); }
int main(int argc, char **argv) {
  struct stat by_name, of_link, open;
  int known = stat(argv[1], &by_name) == 0 && lstat(argv[1], &of_link) == 0 &&
              fstat(0, &open) == 0 && stat("/no/such", &open) < 0;
  printf("%d %d %d %ld %d %ld\\n", argc, begun, known, (long)by_name.st_size,
         S_ISLNK(of_link.st_mode), strtol(argv[2], NULL, 10));
  double third = argc, power = pow(third, third) + fmod(third, 2) + exp(third) + log(third);
#ifndef DARSHAN_VERSIONS_H /* no program of ours asks for dlsym by name */
  if (dlsym(RTLD_DEFAULT, "puts") == NULL) return 1;
#endif
  return !(power > 49.18 && power < 49.19);
}
"""
# A program with a symbol whose version is old, but which the old libc did not have.
MOVED = """
#include <pthread.h>
__asm__(".symver pthread_create,pthread_create@GLIBC_2.2.5");
static void *nothing(void *it) { return it; }
int main(void) { pthread_t thread; return pthread_create(&thread, NULL, nothing, NULL); }
"""


def built(folder: Path, source: str, *more: str | Path) -> Path:
    """Compiles a program into a new folder, which is returned. more: further words for the
    compiler."""
    (folder / "program.c").write_text(source)
    (folder / "made").mkdir()
    first = ["gcc", "-O1", "-D_GNU_SOURCE"]
    return compile_c(folder / "made", folder / "program.c", *more, first=first).parent


def wishes(folder: Path) -> tuple[int, str]:
    """Runs needs.py on a folder. Returns the exit status and the output."""
    command = [sys.executable, NEEDS, folder]
    done = finished(command)
    return done.returncode, done.stdout


def test_a_program_for_an_older_glibc(tmp_path: Path) -> None:
    """needs.py finds nothing in a program that is compiled with the runtime's options for an older
    glibc, and the program works."""
    libraries = ["-lm", "-Wl,--no-as-needed", "-l:libdl.so.2"]
    where = built(tmp_path, PROGRAM, *VERSIONS, *OURS, *libraries)
    assert wishes(where) == (0, "1 files, 0 of their wishes are not of glibc 2.28\n")
    (tmp_path / "file").write_bytes(bytes(321))
    (tmp_path / "link").symlink_to("file")
    done = subprocess.run(
        [where / "program", tmp_path / "link", "17"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "3 1 1 321 1 17\nended\n"


def test_a_program_of_today(tmp_path: Path) -> None:
    """For a program that is compiled as usual, needs.py reports each symbol that the older glibc
    lacks, and exits with 1."""
    status, said = wishes(built(tmp_path, PROGRAM, "-lm"))
    assert status == 1
    for wish in (
        "__libc_start_main of GLIBC_2.34",
        "dlsym of GLIBC_2.34",
        "stat64 of GLIBC_2.33",
        "pow of GLIBC_2.29",
    ):
        assert f"program: {wish}\n" in said


def test_what_came_from_another_library(tmp_path: Path) -> None:
    """needs.py reports a symbol that came into libc from another library later, although its
    version is old, unless the file also names that library."""
    if platform.machine() != "x86_64":
        elsewhere("the version in it is that of x86-64")
    status, said = wishes(built(tmp_path, MOVED, *VERSIONS, *OURS))
    assert status == 1
    assert said.splitlines()[0].endswith(
        "pthread_create of GLIBC_2.2.5, which libc did not have then"
    )


def test_a_folder_of_nothing(tmp_path: Path) -> None:
    """needs.py exits with 1 for a folder without ELF files."""
    assert wishes(tmp_path)[0] == 1
