"""exec returns the same errors as without the runtime, and a program keeps its file locks while the
runtime inspects executables."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c

BAD_MEMORY = r"""
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define TRUE "/bin/true"
#define TRY(call) \
  do { \
    pid_t child = fork(); \
    int status; \
    if (child == 0) { \
      long result = (call); \
      printf("%s: %ld %d\n", #call, result, errno); \
      return 0; \
    } \
    waitpid(child, &status, 0); \
    if (status) printf("%s: status %x\n", #call, status); \
    fflush(stdout); \
  } while (0)
int main(void) {
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page + 4096, 4096, PROT_NONE);
  char *words[] = {"true", NULL}, *bad_string[] = {"A=1", (char *)16, NULL};
  char *forbidden[] = {"A=1", page + 4096, NULL}, **bad_list = (char **)8;
  char **endless = (char **)(page + 4096) - 1;
  *endless = "A=1";
  TRY(execve(TRUE, words, bad_string));
  TRY(execve(TRUE, words, forbidden));
  TRY(execve(TRUE, words, bad_list));
  TRY(execve(TRUE, words, endless));
  TRY(execve(TRUE, bad_list, bad_list));
  TRY(execve((char *)1, words, bad_string));
  TRY(execveat(AT_FDCWD, TRUE, words, bad_string, 0));
  TRY(fexecve(open(TRUE, O_RDONLY), words, forbidden));
  TRY(syscall(SYS_execve, TRUE, words, bad_list));
  TRY(posix_spawn(&child, TRUE, NULL, NULL, words, forbidden));
  return 0;
}
"""

LOCKS = r"""
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void ask(const char *name, const char *when) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct flock lock = {.l_type = F_WRLCK};
    int got = fcntl(open(name, O_RDWR), F_SETLK, &lock);
    printf("%s: %d\n", when, got);
    exit(0);
  }
  waitpid(child, NULL, 0);
}
static void hold(const char *name) {
  struct flock lock = {.l_type = F_RDLCK};
  if (fcntl(open(name, O_RDONLY), F_SETLK, &lock)) abort();
}
int main(int argc, char **argv) {
  char *words[] = {"script", NULL}, *again[] = {"copy", "once", "more", NULL};
  if (argc > 2) return ask("copy", "the next program"), 0;
  hold("script"), hold("none"), hold("copy");
  pid_t child;
  if (posix_spawn(&child, "./script", NULL, NULL, words, environ) == 0) waitpid(child, NULL, 0);
  ask("script", "after a spawn");
  if (system("./script")) abort();
  ask("script", "after system");
  printf("%d %d\n", execv("./none", words), errno);
  ask("none", "after an exec that failed");
  execv("./copy", again);
  (void)argv;
  return 1;
}
"""


def test_bad_memory_is_an_error_not_a_fault(build: Path, tmp_path: Path) -> None:
    """The runtime does not read memory for which the kernel returns EFAULT."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, BAD_MEMORY)])
    assert same_end(bare, watched), (watched.stdout, watched.stderr)
    assert bare.stdout.count(b" 14\n") >= 9


def test_locks_stay(build: Path, tmp_path: Path) -> None:
    """A program keeps its fcntl locks over a spawn, system(), a failed exec and an exec: the
    runtime never opens and closes a locked file, because a close would release the locks."""
    program = compile_c(tmp_path, LOCKS)

    def files(work: Path) -> None:
        (work / "script").write_text("#!/bin/sh\nexit 0\n")
        (work / "none").write_text("no program\n")
        (work / "copy").write_bytes(program.read_bytes())
        for name in ("script", "none", "copy"):
            (work / name).chmod(0o755)

    bare, watched = both(build, tmp_path, [program], files)
    assert same_end(bare, watched), (bare.stdout, watched.stdout, watched.stderr)
    assert bare.stdout.count(b": -1") == 4


@pytest.mark.needs("program:strace")
def test_who_has_no_locks_does_not_read_the_list(build: Path, tmp_path: Path) -> None:
    """A process that never requested a lock does not read /proc/locks at an exec: while the kernel
    prints this list, no process of the machine gets a lock."""
    strace = ["strace", "-f", "-qq", "-o", tmp_path / "trace", "-e", "trace=open,openat"]
    script = "import os; os.system('true'); os.execvp('sh', ['sh', '-c', '/bin/true; exit 3'])"
    bare, watched = both(build, tmp_path, ["python3", "-c", script], traced=strace)
    assert same_end(bare, watched) and watched.status == 3
    trace = (tmp_path / "trace").read_text()
    assert "libdarshan" in trace and "/proc/locks" not in trace
