"""Wrappers need few bytes of their caller's stack (at most stack_usage.MOST), so programs with
small stacks run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import stack_usage
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import instrumented
from lab.watch import SECONDS
from place import elsewhere

HERE = Path(__file__).parent
# Bytes of the stack in depth.c.
STACK = 256 << 10

# The state in which each call of depth.c is made: as the first call of its process, with known
# files, or a second time.
FIRST = (
    "open open_absolute openat open_missing creat stat access rename mkdir chdir opendir "
    "memfd syscall fopen exec exec_missing _exit quick_exit"
)
KNOWN = (
    "open openat read write pwrite writev lseek fsync close dup2 fcntl stat fstat access "
    "rename renameat unlink opendir mmap sendfile syscall fopen fprintf fputs fgets fscanf "
    "fflush fclose exec exec_missing _exit quick_exit"
)
AGAIN = "open write rename stat fprintf mmap"
CALLS = [
    (mode, call)
    for mode, calls in (("first", FIRST), ("known", KNOWN), ("again", AGAIN))
    for call in calls.split()
]


def test_every_path(build: Path) -> None:
    """According to the compiler's numbers, no wrapper needs more bytes of the caller's stack than
    stack_usage.MOST on any path."""
    if not list(build.glob("runtime/**/libdarshan_so-*.ci")):
        elsewhere("this compiler does not say what functions need of the stack")
    _, wrong = stack_usage.judge(build, HERE.parents[1] / "runtime")
    assert not wrong, "\n".join(wrong[:20])


def test_deep_paths_are_found(tmp_path: Path) -> None:
    """A path that needs more stack than permitted is found; recursion and frames without a bound
    are reported."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    source = folder / "libdarshan_so-deep.c"
    source.write_text(
        "void use(char *);\n"
        "static __attribute__((noinline)) void below(void) { char room[2000]; use(room); }\n"
        "void deep(void) { below(); use((char *)0); }\n"
        "int around(int n) { char room[n + 1]; use(room); return n ? around(n - 1) + n : 0; }\n"
    )
    subprocess.run(["gcc", "-O1", "-c", "-fcallgraph-info=su", source.name], cwd=folder, check=True)
    graph = stack_usage.CallGraph([folder / "libdarshan_so-deep.ci"])
    path = graph.worst("deep")
    assert path.depth > 2000
    assert [name.split(":")[0] for name in path.names][:2] == ["deep", "below"]
    graph.worst("around")
    assert any("recursion" in problem for problem in graph.problems)
    assert any("unbounded" in problem for problem in graph.problems)
    assert any("use" in problem for problem in graph.problems)


@pytest.fixture(scope="module")
def depth_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program that makes a call on a stack that it filled with a pattern before.
    Returns its path."""
    return compile_c(
        tmp_path_factory.mktemp("depth"), (HERE / "depth.c").read_text(), "-w", "-Wl,-z,now"
    )


def depth_of(program: Path, work: Path, mode: str, call: str, environment: dict[str, str]) -> int:
    """Returns how many bytes of its stack the call `call` of depth.c changed. mode: "first",
    "known" or "again", as in depth.c. environment: with or without the runtime."""
    work.mkdir()
    paint = os.memfd_create("paint")
    try:
        os.ftruncate(paint, STACK)
        subprocess.run(
            [program, str(paint), call, mode],
            cwd=work,
            env={**environment, "LD_BIND_NOW": "1"},
            pass_fds=[paint],
            check=True,
            timeout=SECONDS,
        )
        touched = os.pread(paint, STACK, 0).lstrip(b"\x5a")
    finally:
        os.close(paint)
    assert touched and any(touched)
    return len(touched)


def test_painted_stack(build: Path, tmp_path: Path, depth_program: Path) -> None:
    """For each kind of call, the runtime uses no more additional bytes of the caller's stack than
    stack_usage.py permits."""
    logs = tmp_path / "logs"
    logs.mkdir()
    bare = {"PATH": os.environ["PATH"]}
    watched = {**instrumented(build, logs, logs), "DARSHAN_MODMEM": "4"}
    too_deep = []
    for mode, call in CALLS:
        name = f"{mode}-{call}"
        alone = depth_of(depth_program, tmp_path / f"bare-{name}", mode, call, bare)
        ours = depth_of(depth_program, tmp_path / f"watched-{name}", mode, call, watched)
        if ours - alone > stack_usage.MOST:
            too_deep.append(f"{name}: {ours - alone}")
    assert not too_deep
    assert list(logs.glob("**/*.darshan"))


SMALL = r"""
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
static char text[4096];
static void put(const char *name, int n) {
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0 || write(fd, text, (size_t)n) != n || close(fd) != 0) abort();
}
/* Its end is the end of a page that nobody may touch. */
static char *small_stack(size_t size) {
  char *guard = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(guard, 4096, PROT_NONE);
  return guard + 4096;
}
static void on_alternate_stack(int signal_number, void (*handler)(int)) {
  stack_t stack = {.ss_sp = small_stack(8192), .ss_size = 8192};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(signal_number, &action, NULL);
}
"""

PROGRAMS = {
    "handler": (
        r"""
static void leave(int n) { (void)n; put("in-handler", 30); _exit(8); }
int main(void) {
  put("before", 100);
  on_alternate_stack(SIGUSR1, leave);
  raise(SIGUSR1);
  return 1;
}""",
        8,
        {"before": 100, "in-handler": 30},
    ),
    "fault": (
        r"""
static void leave(int n) { (void)n; _exit(7); }
static int deeper(int n) {
  volatile char room[1024];
  room[0] = (char)n;
  return deeper(n + 1) + room[0];
}
int main(void) {
  put("before", 100);
  on_alternate_stack(SIGSEGV, leave);
  return deeper(0);
}""",
        7,
        {"before": 100},
    ),
    "thread": (
        r"""
static void *run(void *unused) { (void)unused; put("in-thread", 40); _exit(9); }
int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  put("before", 100);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, small_stack(PTHREAD_STACK_MIN), PTHREAD_STACK_MIN);
  if (pthread_create(&thread, &attributes, run, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 2;
}""",
        9,
        {"before": 100, "in-thread": 40},
    ),
    "coroutines": (
        r"""
static ucontext_t back;
static void run(int i) {
  char name[32], other[40];
  name[0] = 'f'; name[1] = (char)('a' + i % 26); name[2] = (char)('a' + i / 26); name[3] = 0;
  strcpy(other, ".//"); strcat(other, name);
  put(other, i);
  if (rename(name, strcat(other, "-moved")) != 0 || access(other, F_OK) != 0) abort();
  FILE *file = fopen(other, "a");
  if (!file || fputs("12345", file) < 0 || fclose(file) != 0) abort();
}
int main(void) {
  for (int i = 0; i < 60; i++) {
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = small_stack(8192);
    context.uc_stack.ss_size = 8192;
    context.uc_link = &back;
    makecontext(&context, (void (*)(void))run, 1, i);
    swapcontext(&back, &context);
  }
  return 3;
}""",
        3,
        {
            f"f{chr(97 + i % 26)}{chr(97 + i // 26)}{end}": size
            for i in range(60)
            for end, size in (("", i), ("-moved", 5))
        },
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_small_stacks(build: Path, tmp_path: Path, name: str) -> None:
    """Programs with small stacks exit as without the runtime, and their I/O is recorded."""
    source, status, written = PROGRAMS[name]
    program = compile_c(tmp_path, SMALL + source, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert bare.status == status
    assert same_end(bare, watched), watched
    assert len(watched.logs) == 1 and not watched.journals
    for file, size in written.items():
        found = watched.value(file, "POSIX_BYTES_WRITTEN") + watched.value(
            file, "STDIO_BYTES_WRITTEN"
        )
        assert found == size, file
