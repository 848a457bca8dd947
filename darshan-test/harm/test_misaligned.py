"""Programs whose stack is off by 8 bytes at a call: calls that work in libc also work in the
wrappers."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import instrumented
from lab.watch import run
from place import elsewhere
from sample import turning

# A child for each function and each list of arguments; a line says how the child ended.  The first
# argument says by how many bytes the stack is off at the call.
PROGRAM = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long off;

static void call(void *function, const long *a) {
  long result;
  register long fourth __asm__("rcx") = a[3];
  register long fifth __asm__("r8") = a[4];
  register long sixth __asm__("r9") = a[5];
  register void *target __asm__("r12") = function;
  register long less __asm__("r13") = off;
  __asm__ volatile("mov %%rsp, %%rbx\n and $-16, %%rsp\n sub $256, %%rsp\n sub %%r13, %%rsp\n"
                   "xor %%eax, %%eax\n call *%%r12\n mov %%rbx, %%rsp"
                   : "=a"(result), "+r"(fourth), "+r"(fifth), "+r"(sixth)
                   : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(target), "r"(less)
                   : "rbx", "r10", "r11", "memory", "cc");
}

static void child(void *function, int arguments) {
  static char bytes[4096];
  unlink("stream");
  /* Some calls change descriptor 0, such as fchmod(0, 0), which must not be a device. */
  close(0);
  if (open("input", O_CREAT | O_RDWR, 0600) != 0) abort();
  int fd = open("file", O_CREAT | O_RDWR, 0600);
  FILE *stream = fopen("stream", "w+");
  if (write(fd, "some bytes", 10) != 10 || !stream) abort();
  long b = (long)bytes, s = (long)stream, path = (long)"file";
  long lists[][6] = {{fd, b, 5, 0, 0, 0},           {path, O_RDWR, 0600, 0, 0, 0},
                     {path, b, 5, 0, 0, 0},         {AT_FDCWD, path, 0, 0, 0, 0},
                     {s, path, b, 0, 0, 0},         {b, 1, 5, s, 0, 0},
                     {path, (long)"r", s, 0, 0, 0}, {s, 0, 0, 0, 0, 0},
                     {'x', s, 0, 0, 0, 0},          {0, 0, 0, 0, 0, 0}};
  strcpy(bytes, "bytes");
  alarm(5);
  call(function, lists[arguments]);
}

int main(int count, char **names) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  off = atoi(names[1]);
  for (int i = 2; i < count; i++) {
    void *function = dlsym(RTLD_DEFAULT, names[i]);
    for (int arguments = 0; function && arguments < 10; arguments++) {
      int status = 0;
      fflush(stdout);
      pid_t pid = fork();
      if (pid == 0) {
        child(function, arguments);
        _exit(0);
      }
      if (waitpid(pid, &status, 0) == pid && !WIFSIGNALED(status))
        printf("= %s %d\n", names[i], arguments);
    }
  }
  return 0;
}
"""

MAIN = r"""
int main(void) {
  off = 8;
  int fd = open("data", O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < 2; i++)
    call(write, (long[]){fd, (long)"bytes", 5, 0, 0, 0});
  call(fsync, (long[]){fd, 0, 0, 0, 0, 0});
  return close(fd);
}
"""

# Without -no-pie the address of a variable, taken for a number, has another sign in each run.
OPTIONS = ("-fcf-protection=none", "-no-pie")

# Functions of other libraries, and functions that wait, make processes or jump.  libc ends a
# program that calls open_2 with flags that need a mode, and here flags are bits of an address.
OTHERS = re.compile(
    r"P?MPI_|mpi_|H5|dfs|daos|nc|darshan|argp|_*clone$|daemon|forkpty|popen|system|wait|posix_spawn"
    r"|login_tty|.*syslog|.*sync|getpass|epoll_p?wait|.*io_|l?a?io_|.*longjmp|vfork|readdir|nftw"
    r"|_*open(at)?(64)?_2$"
)


def functions(library: Path) -> Iterator[str]:
    """Yields the functions of libc that the library wraps, without those that OTHERS matches."""
    table = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True)
    for name in re.findall(r" [TtWi] (\w+)(?:@.*)?$", table.stdout, re.M):
        if not OTHERS.match(name):
            yield name


def survivors(environment: dict[str, str], folder: Path, command: list[str | Path]) -> set[str]:
    """Runs PROGRAM in a new folder. Returns each call whose child process survived, as "FUNCTION
    NUMBER"; NUMBER is the index of the argument list of the call."""
    folder.mkdir()
    end = run(command, folder, environment)
    assert end.status == 0, end.stderr
    return set(re.findall(r"= (\w+ \d+)$", end.stdout.decode("latin1"), re.M))


def only_x86() -> None:
    """Skips the test on other processors than x86-64."""
    if platform.machine() != "x86_64":
        elsewhere("only x86-64 has programs whose stack is off by 8 bytes")


@pytest.mark.needs("program:nm")
def test_a_stack_that_is_off_by_eight_bytes(build: Path, tmp_path: Path) -> None:
    """A call with a stack that is off by 8 bytes works with the runtime, if the same call works
    without the runtime, and works with the runtime and an aligned stack."""
    only_x86()
    program = compile_c(tmp_path, PROGRAM, *OPTIONS)
    names = turning(sorted(set(functions(build / "libdarshan.so"))), 0.3, "misaligned")
    names = sorted({"write", "read", "fork", "puts", "printf", "execve", *names})
    recorded = instrumented(build, tmp_path / "logs", tmp_path)
    bare = survivors({}, tmp_path / "bare", [program, "8", *names])
    aligned = survivors(recorded, tmp_path / "aligned", [program, "0", *names])
    expected = bare & aligned
    assert len({call.split()[0] for call in expected}) > len(names) / 2
    missing = expected - survivors(recorded, tmp_path / "off", [program, "8", *names])
    assert not missing


def test_what_such_calls_write_is_in_the_log(build: Path, tmp_path: Path) -> None:
    """Bytes are counted if the program calls the wrapper with a stack that is not aligned."""
    only_x86()
    source = PROGRAM.replace("int main(", "int several(") + MAIN
    bare, recorded = both(build, tmp_path, [compile_c(tmp_path, source, *OPTIONS)])
    assert same_end(bare, recorded)
    assert bare.status == 0
    assert recorded.value("data", "POSIX_BYTES_WRITTEN") == 10
