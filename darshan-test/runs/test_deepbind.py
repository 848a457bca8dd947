"""Libraries that are opened with RTLD_DEEPBIND call the C library without the runtime: the log has
their number, and dlopen works as without the runtime."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lab.binding import metadata, of_file
from lab.command import finished
from lab.compile import SHARED, compile_c
from lab.environment import preload
from place import needs

PLUGIN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
int put(const char *path) {
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  return write(fd, "plugin", 6) != 6 || close(fd);
}
/* Found by the RUNPATH of this library alone. */
void *inner(int flags) { return dlopen("libinner.so", RTLD_NOW | flags); }
#ifdef EARLY
__attribute__((constructor)) static void early(void) { inner(RTLD_DEEPBIND); }
#endif
"""
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
static void use(void *library, const char *path) {
  int (*put)(const char *) = library ? (int (*)(const char *))dlsym(library, "put") : NULL;
  printf("%s: %d\n", path, put ? put(path) : -1);
}
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int flags = RTLD_NOW | (strchr(argv[i], '+') ? RTLD_DEEPBIND : 0);
    char *name = argv[i] + strspn(argv[i], "+");
    errno = 77;
    void *library = dlopen(name, flags);
    if (library == NULL) {
      printf("failed: %s\n", dlerror());
      continue;
    }
    char path[64];
    snprintf(path, sizeof(path), "by-%d", i);
    use(library, path);
    void *(*inner)(int) = (void *(*)(int))dlsym(library, "inner");
    void *found = inner(flags & RTLD_DEEPBIND);
    printf("inner %d\n", found != NULL);
    if (found) dlclose(found);
    dlclose(library);
  }
  printf("self %d\n", dlopen(NULL, RTLD_NOW | RTLD_DEEPBIND) != NULL);
  return 0;
}
"""


@pytest.fixture(name="place")
def make_programs(tmp_path: Path) -> Path:
    """Compiles a program, plug-ins in separate folders, and the libraries that they open. Returns
    their folder."""
    first = ["gcc", "-w", "-Wl,--enable-new-dtags"]
    for folder, options in (("first", []), ("second", ["-DEARLY"])):
        (tmp_path / folder).mkdir()
        own = (*SHARED, *options, "-Wl,-rpath,$ORIGIN")
        compile_c(tmp_path, PLUGIN, *own, name=f"{folder}/libplugin.so", first=first)
    compile_c(tmp_path, PLUGIN, *SHARED, name="first/libinner.so", first=first)
    compile_c(tmp_path, PROGRAM, "-Wl,-rpath,$ORIGIN/first", first=first)
    return tmp_path


def watched(build: Path, place: Path, *command: str) -> tuple[Path, list[str], str]:
    """Runs a command by `darshan stat`. Its status and output must equal those without the runtime.
    Returns its log, the lines of its output, and its stderr."""
    bare = finished(command, cwd=place)
    for path in place.glob("by-*"):
        path.unlink()
    done = finished([build / "darshan", "stat", "-o", place / "logs", "--", *command], cwd=place)
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout)
    (log,) = (place / "logs").glob("*.darshan")
    return log, done.stdout.splitlines(), done.stderr


def report(build: Path, log: Path) -> str:
    """Returns the text report of a log, on one line."""
    command = [build / "darshan-job-summary", "--text", log]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return " ".join(done.stdout.split())


def test_those_that_are_opened_count(build: Path, place: Path) -> None:
    """The log counts each library once, whether it was opened by path or by the RUNPATH of the
    program; calls that failed are not counted."""
    words = [
        "./first/libplugin.so",
        "libplugin.so",
        "./second/libplugin.so",
        "./none",
        "nowhere.so",
    ]
    log, lines, said = watched(build, place, "./program", *(f"+{word}" for word in words))
    assert lines[:6] == ["by-1: 0", "inner 1", "by-2: 0", "inner 1", "by-3: 0", "inner 0"]
    assert lines[-1] == "self 1" and lines[-2].startswith("failed: nowhere.so: cannot open")
    assert metadata(log)["dropped_by_deepbind"] == "2"
    assert not of_file(log, place / "by-1")
    line = "calls of 2 libraries opened with RTLD_DEEPBIND are not counted: lower bounds"
    assert said.splitlines().count(line) == 1
    assert (
        "2 libraries were opened with RTLD_DEEPBIND, so calls that they made went straight to "
        "the C library and are not counted: counts, bytes and times are lower bounds."
    ) in report(build, log)


def test_without_the_flag(build: Path, place: Path) -> None:
    """Without RTLD_DEEPBIND the libraries' calls are recorded, and there is no warning."""
    log, lines, said = watched(build, place, "./program", "./first/libplugin.so", "libplugin.so")
    assert lines == ["by-1: 0", "inner 1", "by-2: 0", "inner 1", "self 1"]
    assert "dropped_by_deepbind" not in metadata(log) and "DEEPBIND" not in said
    (row,) = of_file(log, place / "by-1")
    assert row["POSIX_BYTES_WRITTEN"] == 6
    assert "DEEPBIND" not in report(build, log)


def test_of_all_processes_of_a_run(build: Path, place: Path) -> None:
    """The log counts the libraries of all processes; libraries that are opened by such a library
    are not counted."""
    script = "./program +./second/libplugin.so; ./program +libplugin.so; true"
    log, _, said = watched(build, place, "sh", "-c", script)
    assert metadata(log)["dropped_by_deepbind"] == "2"
    assert "calls of 2 libraries opened with RTLD_DEEPBIND" in said


def test_before_anything_else(build: Path, place: Path) -> None:
    """A preloaded library that comes before the runtime opens another one with RTLD_DEEPBIND in its
    constructor: the program runs as usual, and the log counts that library."""
    (place / "first" / "libplugin.so").rename(place / "first" / "libother.so")
    (place / "second" / "libplugin.so").rename(place / "first" / "libplugin.so")
    env = os.environ | preload(place / "first" / "libplugin.so")
    done = finished([build / "darshan", "run", "-o", "logs", "--", "./program"], cwd=place, env=env)
    assert (done.returncode, done.stdout) == (0, "self 1\n")
    (log,) = (place / "logs").glob("*.darshan")
    assert metadata(log)["dropped_by_deepbind"] == "1"


@pytest.mark.parametrize(
    "options", [["-static-pie"], ["-fsanitize=address"], ["-fsanitize=thread"]]
)
def test_other_programs(build: Path, place: Path, options: list[str]) -> None:
    """Static programs, and programs built with a sanitizer (which has its own dlopen), end alike
    with and without the runtime, also if AddressSanitizer refuses RTLD_DEEPBIND."""
    needs("program:gcc")
    (place / "program.c").write_text(PROGRAM.replace("RTLD_NOW | RTLD_DEEPBIND", "RTLD_NOW"))
    command = ["gcc", "-w", *options, "-o", "program", "program.c"]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    for word in ("./first/libplugin.so", "+./first/libplugin.so"):
        ends = []
        for before in ([], [build / "darshan", "run", "-o", "logs", "--"]):
            done = finished([*before, "./program", word], cwd=place)
            refused = "RTLD_DEEPBIND flag" in done.stderr
            ends.append((done.returncode, done.stdout.replace("inner 0", "inner 1"), refused))
        assert ends[0] == ends[1], word
