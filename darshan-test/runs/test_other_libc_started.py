"""An instrumented program starts a program whose loader cannot load the runtime: a musl program, or
a 32-bit one. The started program runs without the runtime, with the rest of its environment and
without a message on stderr. The log has PROCESS and USAGE records of it."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from harm.test_other_libc import compiled_small
from lab.binding import of_file, processes, rows
from lab.command import finished
from lab.compile import compile_c
from lab.environment import plain, preload, settings

from . import watched

SIZE = 8 << 20
OTHER = "/nowhere/other.so"  # a library of the user, which must remain
# Value of PROCESS_UNSEEN for such a program.
OTHER_LIBC = 2
PT_INTERP = 3

READER = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  static char bytes[1 << 20];
  int fd = open("data", O_RDONLY);
  while (read(fd, bytes, sizeof(bytes)) > 0)
    ;
  printf("preload %s, kept %s\\n", getenv("LD_PRELOAD"), getenv("KEPT"));
  return 3;
}
"""
STARTER = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *words[] = {"program", NULL};
#define DEED(name, call) if (!strcmp(deed, name)) { call; return; }
static void become(const char *deed) {
  DEED("execl", execl("./program", "program", NULL))
  DEED("execle", execle("./program", "program", NULL, environ))
  DEED("execlp", execlp("program", "program", NULL))
  DEED("execv", execv("./program", words))
  DEED("execve", execve("./program", words, environ))
  DEED("execvp", execvp("program", words))
  DEED("execvpe", execvpe("program", words, environ))
  DEED("fexecve", fexecve(open("program", O_RDONLY | O_CLOEXEC), words, environ))
  DEED("execveat", execveat(open(".", O_RDONLY), "program", words, environ, 0))
  DEED("execveat-path", execveat(AT_FDCWD, "./program", words, environ, 0))
  DEED("syscall", syscall(SYS_execve, "./program", words, environ))
  DEED("syscall-at", syscall(SYS_execveat, open("program", O_RDONLY), "", words, environ,
                             AT_EMPTY_PATH))
  DEED("script", execl("./script", "script", NULL))
  DEED("vfork", execv("./program", words))
}
int main(int argc, char **argv) {
  const char *deed = argv[1];
  int status = -1, times = argc > 2 ? atoi(argv[2]) : 1;
  pid_t child = -1;
  char **before = environ, *preload = getenv("LD_PRELOAD"), copy[4096];
  strcpy(copy, preload);
  for (int i = 0; i < times; i++) {
    if (!strcmp(deed, "system")) {
      status = system("./program");
    } else if (!strcmp(deed, "popen")) {
      FILE *out = popen("./program", "r");
      char line[256];
      while (fgets(line, sizeof(line), out)) fputs(line, stdout);
      status = pclose(out);
    } else {
      if (!strcmp(deed, "posix_spawn"))
        posix_spawn(&child, "./program", NULL, NULL, words, environ);
      else if (!strcmp(deed, "posix_spawnp"))
        posix_spawnp(&child, "program", NULL, NULL, words, environ);
      else if ((child = strcmp(deed, "vfork") ? fork() : vfork()) == 0) {
        become(deed);
        _exit(9);
      }
      waitpid(child, &status, 0);
    }
    if (WEXITSTATUS(status) != 3) { printf("ended with %x\n", status); return 1; }
  }
  if (environ != before || getenv("LD_PRELOAD") != preload || strcmp(preload, copy)) return 2;
  FILE *file = fopen("written", "w"); /* its own calls are recorded as before */
  fputs("text", file);
  return fclose(file);
}
"""
DEEDS = [
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
    "execveat",
    "execveat-path",
    "syscall",
    "syscall-at",
    "script",
    "vfork",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
]


@pytest.fixture(name="place")
def make_programs(tmp_path: Path) -> Path:
    """Makes a program of another C library, one that starts it, and scripts with it as interpreter.
    Returns the folder."""
    (tmp_path / "data").write_bytes(os.urandom(SIZE))
    compile_c(tmp_path, READER, first=["musl-gcc"])
    compile_c(tmp_path, STARTER, name="starter", first=["gcc", "-w"])
    (tmp_path / "inner").write_text(f"#!{tmp_path}/program\n")
    (tmp_path / "script").write_text(f"#!{tmp_path}/inner -x\n")
    for name in ("inner", "script"):
        (tmp_path / name).chmod(0o755)
    return tmp_path


def run(build: Path, place: Path, *command: str, **environment: str) -> tuple[Path, list[str]]:
    """Runs a command by `darshan run`. environment: variables to add. Returns its log and the lines
    of its output."""
    logs = place / "logs"
    done = finished(
        [build / "darshan", "run", "-o", logs, "--", *command],
        cwd=place,
        env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}", **environment},
        timeout=120,
    )
    assert done.returncode == 0, done
    assert "Error relocating" not in done.stderr and "ELF class" not in done.stderr
    (log,) = logs.glob("*.darshan")
    return log, done.stdout.splitlines()


@pytest.mark.needs("program:musl-gcc")
@pytest.mark.parametrize("deed", DEEDS)
def test_musl(build: Path, place: Path, deed: str) -> None:
    """A program of another C library, started in this way, runs without the runtime, and the log
    has its name, its exit status and its bytes. deed: how it is started."""
    log, lines = run(build, place, "./starter", deed, KEPT="yes", **preload(OTHER))
    assert lines == [f"preload {OTHER}, kept yes"]
    (child,) = (row for row in processes(log).values() if row["PROCESS_UNSEEN"] == OTHER_LIBC)
    assert child["PROCESS_STATUS"] == 3 and child["PROCESS_ENDED"] == 1
    (usage,) = (row for row in rows(log, "USAGE") if row["rank"] == child["rank"])
    assert SIZE <= usage["USAGE_CHARS_READ"] < SIZE + (1 << 20)
    (written,) = of_file(log, place / "written", "STDIO")
    assert written["STDIO_BYTES_WRITTEN"] == 4


@pytest.mark.needs("program:musl-gcc")
def test_many_by_vfork(build: Path, place: Path) -> None:
    """For each vfork child the runtime changes a copy of the environment; 1,200 children use the
    same memory one after another."""
    log, lines = run(build, place, "./starter", "vfork", "1200")
    assert lines == ["preload (null), kept (null)"] * 1200
    assert any(row["PROCESS_UNSEEN"] == OTHER_LIBC for row in processes(log).values())
    assert [row["STDIO_BYTES_WRITTEN"] for row in rows(log, "STDIO")] == [4]


@pytest.mark.needs("program:musl-gcc")
@pytest.mark.parametrize("enabled", [{}, {"DARSHAN_JOB_TREE": "0", "DARSHAN_ENABLE_NONMPI": "1"}])
def test_outside_a_run(build: Path, place: Path, enabled: dict[str, str]) -> None:
    """If the runtime is preloaded without `darshan run`, musl programs run as well, without a log
    or with separate logs. enabled: the settings."""
    env = plain() | settings(build, place, mpi=True, **enabled)
    for deed in ("execv", "vfork", "posix_spawn", "system"):
        done = finished(["./starter", deed], cwd=place, env=env)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "preload (null), kept (null)\n"


def move_interpreter(program: Path) -> None:
    """Moves the path of the program's interpreter to the end of the file, as patchelf does for a
    longer path."""
    data = bytearray(program.read_bytes())
    start, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    (row,) = (
        at
        for at in range(start, start + count * size, size)
        if struct.unpack_from("<I", data, at) == (PT_INTERP,)
    )
    offset, length = (struct.unpack_from("<Q", data, row + field)[0] for field in (8, 32))
    struct.pack_into("<Q", data, row + 8, len(data))
    program.write_bytes(data + data[offset : offset + length])


@pytest.mark.needs("program:musl-gcc", "processor:x86_64")
def test_a_loader_that_is_named_far_behind(build: Path, place: Path) -> None:
    """The C library of a program is recognized, even if the name of its loader is far behind in the
    file."""
    move_interpreter(place / "program")
    _, lines = run(build, place, "sh", "-c", "./program; test $? = 3")
    assert lines == ["preload (null), kept (null)"]


def test_our_loader_by_another_name(build: Path, tmp_path: Path) -> None:
    """A program with glibc's loader under another name (Linux Standard Base) is recorded."""
    (tmp_path / "data").write_bytes(bytes(SIZE))
    plain = compile_c(tmp_path, READER, name="plain", first=["gcc"])
    loader = watched.loader_of(str(plain)).decode()
    (tmp_path / "ld-lsb.so").symlink_to(loader)
    named = f"-Wl,-dynamic-linker={tmp_path}/ld-lsb.so"
    compile_c(tmp_path, READER, first=["gcc", named])
    log, _ = run(build, tmp_path, "sh", "-c", "./program; true")
    assert not any(row["PROCESS_UNSEEN"] for row in rows(log, "PROCESS"))
    (read,) = of_file(log, tmp_path / "data")
    assert read["POSIX_BYTES_READ"] == SIZE


@pytest.mark.needs("loader:i386")
def test_32_bits(build: Path, tmp_path: Path) -> None:
    """The 32-bit loader prints no message about a 64-bit library."""
    compiled_small(tmp_path, "-pie", "-dynamic-linker", "/lib/ld-linux.so.2")
    log, lines = run(build, tmp_path, "sh", "-c", "./program a; ./script; test $? = 7")
    assert lines == ["a."]
    told = [row["PROCESS_STATUS"] for row in rows(log, "PROCESS") if row["PROCESS_UNSEEN"]]
    assert told == [7, 7]
