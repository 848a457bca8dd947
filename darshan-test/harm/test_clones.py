"""Child processes that run in their parent's memory do not change the parent's records, whatever
they do."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.log import metadata_of
from lab.watch import Outcome

PROGRAM = r"""
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char text[4096];
static int file, other;
static const char *deed;

static void want(int condition, int line) {
  if (!condition) {
    dprintf(2, "line %d: not so (errno %d)\n", line, errno);
    _exit(1);
  }
}
#define WANT(condition) want((condition) != 0, __LINE__)
static void put(int fd, int n) { WANT(write(fd, text, (size_t)n) == n); }

static int child(void *unused) {
  char *nothing[] = {"true", NULL}, *unwatched[] = {NULL};
  (void)unused;
  if (!strcmp(deed, "exec")) execve("/bin/true", nothing, unwatched);
  if (!strcmp(deed, "exec-fails")) execv("/nowhere/true", nothing);
  if (!strcmp(deed, "exit")) exit(0);
  if (!strcmp(deed, "descriptors")) { /* what the child of a shell does */
    int mine = open("of-child", O_CREAT | O_WRONLY, 0644);
    if (mine < 0 || dup2(mine, file) != file || close(other) != 0 || close(mine) != 0) _exit(1);
    if (write(file, text, 700) != 700) _exit(1);
    execve("/bin/true", nothing, unwatched);
  }
  if (!strcmp(deed, "folder")) {
    if (chdir("folder") != 0) _exit(1);
    int mine = open("inside", O_CREAT | O_WRONLY, 0644);
    if (mine < 0 || write(mine, text, 700) != 700) _exit(1);
    execve("/bin/true", nothing, unwatched);
  }
  if (!strcmp(deed, "writes") && write(file, text, 700) != 700) _exit(1);
  if (!strcmp(deed, "return")) return 0;
  _exit(0);
}

/* Storage of its own, as a thread has it. */
extern void *_dl_allocate_tls(void *);
static void *storage(void) {
#ifdef __x86_64__
  void **tls = _dl_allocate_tls(NULL), **ours = (void **)__builtin_thread_pointer();
  WANT(tls);
  tls[0] = tls[2] = tls;
  tls[5] = ours[5], tls[6] = ours[6]; /* guards of stacks and pointers */
  return tls;
#else
  return _dl_allocate_tls(NULL);
#endif
}

typedef int clone_function(int (*)(void *), void *, int, void *, ...);

int main(int argc, char **argv) {
  int flags = argc > 2 ? atoi(argv[2]) : 0, status;
  char *home = getcwd(NULL, 0);
  deed = argv[1];
  clone_function *start = clone;
  if (argc > 3) start = (clone_function *)dlsym(dlopen("libc.so.6", RTLD_NOW), "clone");
  WANT(mkdir("folder", 0755) == 0);
  file = open("file", O_CREAT | O_RDWR, 0644), other = open("other", O_CREAT | O_RDWR, 0644);
  WANT(file >= 0 && other >= 0);
  put(file, 500);
  char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 3; i++) {
    pid_t pid = start(child, stack + (1 << 20), flags | SIGCHLD, NULL, NULL,
                      flags & CLONE_SETTLS ? storage() : NULL, NULL);
    WANT(pid > 0);
    WANT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* A child that shares the folder or the descriptors has changed them. */
    if (flags & CLONE_FS) WANT(chdir(home) == 0);
    if (flags & CLONE_FILES && !strcmp(deed, "descriptors")) {
      put(file, 3);
      file = open("file", O_RDWR | O_APPEND), other = open("other", O_RDWR);
    }
    put(file, 5), put(other, 7);
    int fd = open("beside", O_CREAT | O_WRONLY | O_APPEND, 0644);
    put(fd, 11);
    close(fd);
  }
  return 0;
}
"""
VM, FS, FILES, VFORK, SETTLS = 0x100, 0x200, 0x400, 0x4000, 0x80000
BITS = {"vfork": VFORK, "settls": SETTLS, "files": FILES, "fs": FS}
KINDS = [(*chosen,) for n in range(len(BITS) + 1) for chosen in itertools.combinations(BITS, n)]
DEEDS = ["exec", "exec-fails", "_exit", "return", "descriptors", "folder"]
OF_PARENT = {"file": 500 + 3 * 5, "other": 3 * 7, "beside": 3 * 11}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the compiled program."""
    return compile_c(tmp_path_factory.mktemp("clones"), PROGRAM, "-w")


def parent_is_whole(outcomes: tuple[Outcome, Outcome], deed: str, kind: tuple[str, ...]) -> None:
    """Checks that there is one log, and that the parent's files have exactly the bytes that the
    parent wrote. If the child shares all that a thread shares, its own file must be complete, too.
    deed, kind: what the child does, and what it shares."""
    bare, watched = outcomes
    assert bare.status == 0, bare.stderr
    assert same_end(bare, watched), watched.stderr
    assert len(watched.logs) == 1 and not watched.journals
    for file, size in OF_PARENT.items():
        assert watched.value(file, "POSIX_BYTES_WRITTEN") == size, file
    thread = {"settls", "files", "fs"} <= set(kind)
    mine = {"descriptors": "of-child", "folder": "folder/inside"}.get(deed)
    if mine and thread:  # a thread in all but name
        shared = 3 * 3 if deed == "descriptors" else 0
        assert watched.value(mine, "POSIX_BYTES_WRITTEN") == 3 * 700 + shared


def run_all(build: Path, program: Path, folder: Path, deed: str, *how: str) -> None:
    """Runs the program once for each combination of what the child shares with its parent in
    addition to the memory: vfork or not, thread storage, descriptors, working folder. deed: what
    the child does. how: further arguments of the program."""
    for kind in KINDS:
        place = folder / ("-".join(kind) or "plain")
        place.mkdir()
        flags = VM | sum(BITS[bit] for bit in kind)
        parent_is_whole(both(build, place, [program, deed, str(flags), *how]), deed, kind)


@pytest.mark.parametrize("deed", DEEDS)
def test_clone(deed: str, build: Path, program: Path, tmp_path: Path) -> None:
    """A program that creates processes by clone, in each of these ways, runs as without the
    runtime, and its bytes are counted. deed: the way."""
    run_all(build, program, tmp_path, deed)


@pytest.mark.parametrize("deed", ["exec", "exec-fails", "_exit"])
def test_clone_unseen(deed: str, build: Path, program: Path, tmp_path: Path) -> None:
    """Even if clone is not intercepted, the runtime recognizes the child at its exec or exit."""
    run_all(build, program, tmp_path, deed, "unseen")


def test_what_is_not_counted_is_said(build: Path, program: Path, tmp_path: Path) -> None:
    """A child in the parent's memory writes to a file that the parent opened. The log has the
    number of dropped events."""
    _, watched = both(build, tmp_path, [program, "writes", str(VM | VFORK)])
    assert watched.status == 0
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == OF_PARENT["file"]
    assert metadata_of(build / "darshan-parser", watched.logs[0])["dropped_in_shared_memory"] == "3"


OWN_FILES = r"""
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 4; i++) {
    pid_t child = vfork();
    if (child == 0) {
      int fd = open("of-child", O_CREAT | O_WRONLY | O_APPEND, 0600);
      _exit(write(fd, "12345", 5) != 5 || close(fd));
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status) return 2;
  }
  int fd = open("of-parent", O_CREAT | O_WRONLY, 0600);
  return write(fd, "1234567", 7) != 7;
}
"""


def test_files_of_a_child_alone(build: Path, tmp_path: Path) -> None:
    """Files that only a vfork child uses are not recorded. The log has the number of dropped
    events."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, OWN_FILES, "-w")])
    assert bare.status == 0 and same_end(bare, watched)
    assert watched.value("of-parent", "POSIX_BYTES_WRITTEN") == 7
    assert metadata_of(build / "darshan-parser", watched.logs[0])["dropped_in_shared_memory"] == "4"


LIBC = r"""
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>
extern char **environ;
static char text[4096];
static int file;
static void put(int n) { if (write(file, text, (size_t)n) != n) abort(); }
static void check(int status) { if (status != 0) abort(); }
int main(void) {
  char *nothing[] = {"true", NULL}, line[16];
  int status;
  pid_t pid;
  posix_spawn_file_actions_t actions;
  wordexp_t words;
  file = open("file", O_CREAT | O_RDWR, 0644);
  for (int i = 0; i < 3; i++) {
    put(1), check(system("echo x >of-system"));
    FILE *pipe = popen("echo y", "r");
    put(10);
    if (!fgets(line, sizeof(line), pipe)) abort();
    check(pclose(pipe)), put(100);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, 2, file);
    posix_spawn_file_actions_addclose(&actions, file);
    check(posix_spawnp(&pid, "true", &actions, NULL, nothing, environ));
    waitpid(pid, &status, 0), check(status), put(1000);
    check(wordexp("$(echo z)", &words, 0)), put(2);
    if ((pid = vfork()) == 0) dup2(2, file), close(file), execvp("true", nothing), _exit(1);
    waitpid(pid, &status, 0), check(status), put(20);
    if ((pid = fork()) == 0) close(file), execvp("true", nothing), _exit(1);
    waitpid(pid, &status, 0), check(status), put(200);
  }
  return 0;
}
"""


def test_libc(build: Path, tmp_path: Path) -> None:
    """Children that libc starts do not change the parent's records."""
    program = compile_c(tmp_path, LIBC, "-w")
    bare, watched = both(build, tmp_path, [program])
    assert bare.status == 0 and same_end(bare, watched), watched.stderr
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 3 * 1333
    assert not watched.journals


def test_python(build: Path, tmp_path: Path) -> None:
    """Python starts programs by vfork, fork and posix_spawn while it writes a file: all its writes
    are counted."""
    script = tmp_path / "script.py"
    script.write_text(
        """import os, subprocess
with open("file", "wb", buffering=0) as file:
    for _ in range(3):
        file.write(b"x" * 10)
        subprocess.run(["true"], check=True, close_fds=True)
        file.write(b"x" * 100)
        subprocess.run(["true"], check=True, preexec_fn=os.getpid, pass_fds=[file.fileno()])
        os.waitpid(os.posix_spawnp("true", ["true"], os.environ), 0)
        try:
            subprocess.run(["/nowhere/true"])
        except FileNotFoundError:
            file.write(b"x")
"""
    )
    bare, watched = both(build, tmp_path, [sys.executable, "-S", script])
    assert bare.status == 0 and same_end(bare, watched), watched.stderr
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 3 * 111
    assert not watched.journals
