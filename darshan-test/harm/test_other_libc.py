"""Programs into which the runtime cannot simply be preloaded.

A program of another C library runs without the runtime, and one line says so. A program with a
shared AddressSanitizer, which must be the first library, is recorded."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab.command import finished, finished_in_bytes
from lab.compile import compile_c
from lab.environment import preload
from lab.log import read_rows

SECONDS = 60
SOURCE = """
#include <stdio.h>
int main(int argc, char **argv) {
  FILE *out = fopen("out", "w");
  if (!out || fputs("text", out) < 0 || fclose(out)) return 3;
  printf("%d\\n", argc);
  return 7;
}
"""


@pytest.fixture(name="work")
def make_program(tmp_path: Path) -> Path:
    """Makes a folder with a musl program, and with scripts that it interprets. Returns the
    folder."""
    compile_c(tmp_path, SOURCE, first=["musl-gcc"])
    for name, line in (
        ("script", f"#!{tmp_path}/program"),
        ("chain", f"#!{tmp_path}/script -x"),
        ("by-env", "#!/usr/bin/env program"),
    ):
        (tmp_path / name).write_text(f"{line}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


COMMANDS = {
    "path": ("./program", "a"),
    "search": ("program", "a"),
    "script": ("./script", "a"),
    "script of a script": ("chain", "a"),
    "env": ("by-env", "a"),
}


@pytest.mark.needs("program:musl-gcc")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("front", ["run", "stat"])
def test_runs_unwatched(build: Path, work: Path, command: str, front: str) -> None:
    """`darshan run` and `darshan stat` start a musl program, directly or through scripts: output
    and exit status are unchanged, and a line says which program has no log, and why."""
    environment = {
        **os.environ,
        "PATH": f"{work}:{os.environ['PATH']}",
        # Something is preloaded already, and another library must remain.
        **preload(*([build / "libdarshan.so", "/nowhere/other.so"] if front == "run" else [])),
    }
    bare = finished_in_bytes(
        COMMANDS[command], cwd=work, env=environment | preload(), timeout=SECONDS
    )
    done = finished_in_bytes(
        [build / "darshan", front, "--", *COMMANDS[command]],
        cwd=work,
        env=environment,
        timeout=SECONDS,
    )
    assert bare.returncode == done.returncode == 7
    assert done.stdout.endswith(bare.stdout) if front == "stat" else done.stdout == bare.stdout
    (line,) = [x for x in done.stderr.decode().splitlines() if x.startswith("darshan: ")]
    assert "/program uses another C library than glibc" in line and line.endswith(
        ", so libdarshan.so cannot be loaded; it ran without being recorded"
    )
    assert (work / "out").read_text() == "text"
    assert not list((work / "darshan-logs").iterdir())


# Writes the first letter of its argument and exits with 7; assembly, because 32-bit headers may be
# missing.
SMALL = """
.globl _start
_start:
  mov $4, %eax; mov $1, %ebx; mov 8(%esp), %ecx; mov $1, %edx; int $0x80
  mov $1, %eax; mov $7, %ebx; int $0x80
.section .note.GNU-stack, "", @progbits
"""


def compiled_small(folder: Path, *options: str) -> None:
    """Makes a 32-bit x86 program, and a script that it interprets. options: of the linker."""
    (folder / "main.s").write_text(SMALL)
    subprocess.run(["as", "--32", "-o", "main.o", "main.s"], cwd=folder, check=True)
    link = ["ld", "-m", "elf_i386", *options, "-o", "program", "main.o"]
    subprocess.run(link, cwd=folder, check=True)
    (folder / "script").write_text(f"#!{folder}/program\n")
    (folder / "script").chmod(0o755)


@pytest.mark.needs("loader:i386")
@pytest.mark.parametrize("command", ["./program", "./script"])
@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_32_bits(build: Path, command: str, kind: str, tmp_path: Path) -> None:
    """The loader of a 32-bit program would warn about the library on stderr; `darshan run` prints
    one line instead."""
    loader = ["-pie", "-dynamic-linker", "/lib/ld-linux.so.2"]
    compiled_small(tmp_path, *(loader if kind == "dynamic" else []))
    run_it = [build / "darshan", "run", "--", command, "a"]
    done = finished(run_it, cwd=tmp_path, timeout=SECONDS)
    assert (done.returncode, len(done.stdout)) == (7, 1)
    (line,) = done.stderr.splitlines()
    assert line.startswith("darshan: no log: ") and f"{tmp_path}/program is " in line.replace(
        "./program", f"{tmp_path}/program"
    )
    small = "is a 32-bit program, and libdarshan.so is for 64 bits; it ran without being recorded"
    assert line.endswith(small) == (kind == "dynamic")


SANITIZED = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { THREADS = 4, FILES = 20 };
static void *work(void *number) {
  char name[32], text[5];
  for (int i = 0; i < FILES; i++) {
    snprintf(name, sizeof(name), "f%ld-%d", (long)number, i);
    FILE *file = fopen(name, "w");
    fputs("hello", file);
    fclose(file);
    int fd = open(name, O_RDWR);
    if (read(fd, text, 5) != 5 || pwrite(fd, text, 5, 5) != 5) abort();
    close(fd);
  }
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  char *block = malloc(10);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  volatile int past = 10;
  int bad = argc > 1 && argv[1][0] == 'w' ? block[past] : 0;
  free(block);
  return bad ? 3 : 7;
}
"""


def compiled_sanitized(compiler: str, folder: Path) -> None:
    """Compiles the program with the compiler's shared AddressSanitizer."""
    (folder / "main.c").write_text(SANITIZED)
    options = ["-pthread"]
    if compiler == "clang":
        ask = [compiler, "-fsanitize=address", "-shared-libasan", "-###", "main.c"]
        said = subprocess.run(ask, cwd=folder, capture_output=True, check=True).stderr.decode()
        library = re.search(r'"([^"]*/libclang_rt\.asan[^"/]*\.so)"', said)
        assert library
        options += ["-shared-libasan", f"-Wl,-rpath,{os.path.dirname(library[1])}"]
    command = [compiler, "-g", "-w", "-fsanitize=address", *options, "-o", "program", "main.c"]
    subprocess.run(command, cwd=folder, check=True)


@pytest.mark.needs("program:gcc", "program:clang")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_shared_address_sanitizer(build: Path, parser: Path, compiler: str, tmp_path: Path) -> None:
    """A program with the shared AddressSanitizer of gcc or clang is recorded, and AddressSanitizer
    finds its errors, also if a script starts the program or ASAN_OPTIONS is set."""
    compiled_sanitized(compiler, tmp_path)

    def run(options: str, *command: str) -> subprocess.CompletedProcess[str]:
        return finished(
            [build / "darshan", "run", "--", *command],
            cwd=tmp_path,
            env={**os.environ, "ASAN_OPTIONS": options},
            timeout=SECONDS,
        )

    done = run("", "./program")
    assert (done.returncode, done.stdout) == (7, "")
    (line,) = done.stderr.splitlines()
    log = line.removeprefix("darshan: log: ")
    rows = [row for row in read_rows(parser, log) if re.search(r"/f\d-", row.name)]
    for counter, expected in (("POSIX_BYTES_WRITTEN", 5), ("POSIX_BYTES_READ", 5)):
        counted = [row.value for row in rows if row.counter == counter]
        assert counted == [expected] * 80, counter
    assert run("", "sh", "-c", "./program; exit $?").returncode == 7
    wrong = run("exitcode=5:verify_asan_link_order=1", "./program", "wrong")
    assert wrong.returncode == 5 and "heap-buffer-overflow" in wrong.stderr
