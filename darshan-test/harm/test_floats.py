"""The floating-point state is the program's own: the runtime changes no exception flags, traps or
rounding mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c

WRITES, BYTES = 200, 37

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf back;
static char text[100];
static void check(const char *where) {
  if (fetestexcept(FE_ALL_EXCEPT) || fegetround() != ROUND)
    fprintf(stderr, "%s: flags %x, rounding %x\n", where, fetestexcept(FE_ALL_EXCEPT),
            fegetround());
}
static void jump(int signal) { (void)signal, siglongjmp(back, 1); }
static void write_file(const char *name, int writes) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  check("open");
  for (int i = 0; i < writes; i++) {
    if (write(fd, text, BYTES) != BYTES) abort();
    if (i % 20 == 0) nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  check("write");
  struct stat st;
  if (lseek(fd, 0, SEEK_SET) || read(fd, text, 5) != 5 || fstat(fd, &st) || fsync(fd)) abort();
  check("others");
  close(fd);
  check("close");
}
static void write_stream(const char *name) {
  FILE *stream = fopen(name, "w");
  for (int i = 0; i < 100; i++) fprintf(stream, "%s\n", name);
  if (fflush(stream) || fseek(stream, 0, SEEK_SET) || fclose(stream)) abort();
  check("stream");
}
static void jump_out(void) { /* the handler's state is the one that stays */
  signal(SIGALRM, jump);
  for (volatile int i = 0; i < 20; i++)
    if (!sigsetjmp(back, 1)) {
      ualarm(500, 0);
      for (;;) write_file("jumped", 1);
    }
}
int main(int argc, char **argv) {
  if (argc > 2) return fetestexcept(FE_ALL_EXCEPT);
  fesetround(ROUND);
  check("start");
  if (argc > 1) feenableexcept(FE_ALL_EXCEPT);
  write_file("file", WRITES);
  write_stream("stream");
  fflush(NULL);
  pid_t child = fork();
  if (!child) write_file("of-the-child", 3), exit(5);
  int status;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5) abort();
  check("fork");
  if (system("true") || rename("stream", "stream2") || execl("./none", "none", NULL) != -1) abort();
  check("failed exec");
  if (ROUND == FE_TONEAREST && argc == 1) jump_out();
  if (!(child = fork())) { /* behind a filter time is asked for by other ways */
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){1, &all})) abort();
    check("filter"), write_file("behind", 3), exit(6);
  }
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 6) abort();
  execl(argv[0], argv[0], "again", "again", NULL);
  return 1;
}
"""


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("rounding", "arguments"),
    [("FE_TONEAREST", []), ("FE_TONEAREST", ["trap"]), ("FE_UPWARD", ["trap"])],
)
def test_floats(
    build: Path, tmp_path: Path, rounding: str, arguments: list[str], *, traced: bool
) -> None:
    """The runtime raises no flag, causes no trap and keeps the rounding mode; the log has all
    writes. traced: whether DXT is on."""
    flags = [f"-DROUND={rounding}", f"-DWRITES={WRITES}", f"-DBYTES={BYTES}"]
    program = compile_c(tmp_path, PROGRAM, *flags, "-lm")
    extra = {"DXT_ENABLE_IO_TRACE": "1"} if traced else {}
    bare, watched = both(build, tmp_path, [program, *arguments], extra=extra)
    assert same_end(bare, watched), (watched.status, watched.stderr)
    assert (bare.status, bare.stderr) == (0, b"")
    assert watched.value("file", "POSIX_WRITES") == WRITES
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == WRITES * BYTES
