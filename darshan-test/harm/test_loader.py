"""First calls of functions while the dynamic loader is at work: the runtime neither waits for the
loader's lock nor changes the error that dlerror returns."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compile import SHARED, compile_c
from lab.environment import instrumented, preload

SECONDS = 20

# A thread calls each function for the first time, while the thread that waits for it holds the lock
# of the loader, in a constructor or a destructor (WHEN).
LIBRARY = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static void *calls(void *unused) {
  struct stat st;
  char bytes[4] = "abc";
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  if (pwrite(fd, bytes, 3, 0) != 3 || pread(fd, bytes, 3, 0) != 3 || fstat(fd, &st)) return "";
  close(fd);
  FILE *stream = fopen("stream", "w");
  fputs("text", stream);
  fclose(stream);
  rename("stream", "renamed");
  puts("called");
  fflush(stdout);
  return unused;
}
static void in_a_thread(void) {
  pthread_t thread;
  void *failed = "not started";
  if (pthread_create(&thread, NULL, calls, NULL) == 0) pthread_join(thread, &failed);
  if (failed) _exit(4);
}
__attribute__((WHEN)) static void at_work(void) { in_a_thread(); }
"""
PROGRAM = r"""
#include <dlfcn.h>
int main(void) {
  void *library = dlopen("./library.so", RTLD_NOW);
  return library ? dlclose(library) : 3;
}
"""
# Another thread is inside dlopen while the process calls fork: in the child, this thread does not
# exist, so the loader's lock is never released.
CHILD = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
pid_t _Fork(void);
extern int inside[2];
int inside[2];
static void *opens(void *unused) { return dlopen("./slow.so", RTLD_NOW), unused; }
int main(void) {
  pthread_t thread;
  char byte;
  int status;
  if (pipe(inside) || pthread_create(&thread, NULL, opens, NULL)) return 3;
  if (read(inside[0], &byte, 1) != 1) return 4;
  pid_t child = FORK();
  if (child == 0) {
    rmdir("no such folder");
    _exit(7);
  }
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
"""
SLOW = r"""
#include <unistd.h>
extern int inside[2];
__attribute__((constructor)) static void begin(void) {
  if (write(inside[1], "x", 1) == 1) sleep(1);
}
"""
ERROR = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void *none = dlopen("/no/such/library.so", RTLD_NOW);
  puts("it failed");
  char *error = dlerror();
  fprintf(stderr, "%s\n", error ? error : "no error");
  return none != NULL;
}
"""


def same(build: Path, folder: Path, program: Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a program without the runtime, with it preloaded but not recording, and recording.
    Checks that exit status and output are the same each time. Returns the last one."""
    (folder / "logs").mkdir()
    recorded = instrumented(build, folder / "logs", folder)
    path = {"PATH": recorded["PATH"]} if "PATH" in recorded else {}
    preloaded = path | preload(build / "libdarshan.so")
    ends = [
        finished_in_bytes([program], cwd=folder, env=env, timeout=SECONDS)
        for env in ({"PATH": "/usr/bin:/bin"}, preloaded, recorded)
    ]
    for end in ends[1:]:
        assert (end.returncode, end.stdout, end.stderr) == (
            ends[0].returncode,
            ends[0].stdout,
            ends[0].stderr,
        )
    return ends[0]


@pytest.mark.parametrize("when", ["constructor", "destructor"])
def test_a_thread_that_the_loader_waits_for(build: Path, tmp_path: Path, when: str) -> None:
    """A library whose constructor or destructor waits for a thread does not hang. when: which of
    the two."""
    compile_c(tmp_path, LIBRARY.replace("WHEN", when), *SHARED, name="library.so")
    end = same(build, tmp_path, compile_c(tmp_path, PROGRAM))
    assert (end.returncode, end.stdout) == (0, b"called\n")


@pytest.mark.parametrize("fork", ["fork", "_Fork"])
def test_a_child_of_a_thread_inside_dlopen(build: Path, tmp_path: Path, fork: str) -> None:
    """A process that is created while another thread is inside dlopen ends as without the runtime.
    fork: the call that creates it."""
    compile_c(tmp_path, SLOW, *SHARED, name="slow.so")
    program = compile_c(tmp_path, CHILD.replace("FORK", fork), "-rdynamic")
    assert same(build, tmp_path, program).returncode == 0


def test_an_error_stays_until_it_is_asked_for(build: Path, tmp_path: Path) -> None:
    """The runtime does not change the text that dlerror returns to the program."""
    end = same(build, tmp_path, compile_c(tmp_path, ERROR))
    assert b"/no/such/library.so" in end.stderr
