"""Relative names are those of the right files, however the working folder changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from place import runs

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

static void want(int condition, int line) {
  if (!condition) {
    dprintf(2, "line %d: not so (errno %d)\n", line, errno);
    _exit(1);
  }
}
#define WANT(condition) want((condition) != 0, __LINE__)
static char text[4096];
static void put(const char *name, int n) {
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
  WANT(fd >= 0 && write(fd, text, (size_t)n) == n && close(fd) == 0);
}
static void folders(void) {
  put("here", 1);
  for (const char *name = "one\0two\0"; *name; name += 4) {
    char path[16];
    WANT(mkdir(name, 0755) == 0);
    snprintf(path, sizeof path, "%s/data", name);
    WANT(close((int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0644)) == 0);
  }
}

static int visit(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  if (kind == FTW_F && !strcmp(path + at->base, "data"))
    put("data", strstr(path, "one") ? 10 : 100);
  return 0;
}
static void by_nftw(void) { folders(), WANT(nftw("one", visit, 8, FTW_CHDIR) == 0);
  WANT(nftw("two", visit, 8, FTW_CHDIR | FTW_PHYS) == 0), put("here", 1); }
static void by_nftw64(void) { folders();
  WANT(nftw64(".", (__nftw64_func_t)visit, 8, FTW_CHDIR) == 0), put("here", 1); }
static void without_chdir(void) { folders(), WANT(nftw("one", visit, 8, 0) == 0); put("here", 1); }
static sigjmp_buf out;
static int leave(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st, (void)at;
  if (kind == FTW_F && strstr(path, "one")) put("data", 10), siglongjmp(out, 1);
  return 0;
}
static void by_a_jump(void) {
  folders();
  if (!sigsetjmp(out, 1)) nftw("one", leave, 8, FTW_CHDIR);
  put("data", 10); /* still there */
  WANT(chdir("../two") == 0), put("data", 100);
  WANT(chdir("..") == 0), put("here", 1);
}
static void by_fts(void) {
  char *const roots[] = {(char *)"one", (char *)"two", NULL};
  folders();
  FTS *fts = fts_open(roots, FTS_PHYSICAL, NULL);
  WANT(fts);
  for (FTSENT *entry; (entry = fts_read(fts));)
    if (entry->fts_info == FTS_F)
      put(entry->fts_accpath, strstr(entry->fts_path, "one") ? 10 : 100);
  WANT(fts_close(fts) == 0);
  put("here", 1);
}
static void by_number(void) {
  folders();
  WANT(syscall(SYS_chdir, "one") == 0), put("data", 10);
  int fd = open("../two", O_RDONLY | O_DIRECTORY);
  WANT(syscall(SYS_fchdir, fd) == 0), put("data", 100);
  WANT(syscall(SYS_chdir, "..") == 0), put("here", 1);
}
static pthread_barrier_t apart;
static void *in_two(void *unused) {
  WANT(unshare(CLONE_FS) == 0 && chdir("two") == 0);
  pthread_barrier_wait(&apart);
  for (int i = 0; i < 10; i++) put("data", 10);
  return unused;
}
static void by_threads(void) {
  pthread_t thread;
  folders();
  WANT(pthread_barrier_init(&apart, NULL, 2) == 0);
  WANT(pthread_create(&thread, NULL, in_two, NULL) == 0);
  pthread_barrier_wait(&apart);
  WANT(chdir("one") == 0);
  put("data", 10);
  WANT(pthread_join(thread, NULL) == 0);
  WANT(chdir("..") == 0), put("here", 1);
}
static void *to_one(void *unused) { WANT(chdir("one") == 0); return unused; }
static void by_another_thread(void) {
  pthread_t thread;
  folders();
  WANT(pthread_create(&thread, NULL, to_one, NULL) == 0 && pthread_join(thread, NULL) == 0);
  put("data", 10), put("../two/../two/data", 0);
  WANT(chdir("../two") == 0), put("data", 100), WANT(chdir("..") == 0), put("here", 1);
}
static void by_rename(void) {
  folders();
  WANT(mkdir("old", 0755) == 0 && chdir("old") == 0);
  put("first", 5);
  WANT(rename("../old", "../new") == 0);
  put("second", 7);
  WANT(renameat(AT_FDCWD, "../new", AT_FDCWD, "../newer") == 0);
  put("third", 9);
  WANT(chdir("..") == 0), put("here", 1);
}
static void by_a_vfork(void) {
  struct stat st;
  int status;
  folders();
  pid_t child = vfork();
  if (child == 0) _exit(chdir("one") != 0 || stat("data", &st) != 0);
  WANT(waitpid(child, &status, 0) == child && status == 0);
  put("two/data", 100), put("here", 1);
}

/* Of pseudo names nothing but a leading bracket is left. */
static void brackets(void) {
  put("<STDOUT>", 3), put("<overflow>", 5), put("<a>/../<b>" + 7, 7), put("./<c>", 9);
  int fd = open("<d>", O_CREAT | O_WRONLY, 0644);
  FILE *file = fdopen(fd, "w");
  WANT(file && fputs("0123456789", file) >= 0 && fclose(file) == 0);
  WANT((file = fopen("<e>", "w")) && fputs("01234", file) >= 0 && fclose(file) == 0);
}

static char *home;
/* What the test waits for: a copy of standard output that nobody else closes. */
static void daemon_with(int keep_folder, int keep_streams) {
  WANT(dup2(1, 30) == 30);
  int fd = open("stdout", O_CREAT | O_WRONLY, 0644);
  WANT(dup2(fd, 1) == 1);
  WANT(write(1, text, 40) == 40);
  put("before", 100);
  WANT(daemon(keep_folder, keep_streams) == 0);
  WANT(write(1, text, 8) == 8); /* to nowhere, unless streams are kept */
  put(keep_folder ? "after" : home + 1, 200);
}
static void daemon_of_all(void) { home = strcat(getcwd(NULL, 4096), "/after"), daemon_with(0, 0); }
static void daemon_here(void) { daemon_with(1, 0); }
static void daemon_with_streams(void) { daemon_with(1, 1); }

static void terminals(void) {
  int first, second, status;
  put("here", 1);
  int fd = open("stdin", O_CREAT | O_RDWR, 0644);
  WANT(dup2(fd, 0) == 0 && write(0, text, 5) == 5);
  pid_t child = forkpty(&first, NULL, NULL, NULL);
  WANT(child >= 0);
  if (child == 0) {
    put("child", 100);
    _exit(write(0, text, 7) != 7); /* to the terminal */
  }
  char got[64];
  while (read(first, got, sizeof(got)) > 0)
    ;
  WANT(waitpid(child, &status, 0) == child && status == 0);
  close(first);
  WANT(openpty(&first, &second, NULL, NULL, NULL) == 0);
  if ((child = fork()) == 0) {
    WANT(login_tty(second) == 0);
    _exit(write(0, text, 7) != 7);
  }
  WANT(waitpid(child, &status, 0) == child && status == 0);
  WANT(write(0, text, 9) == 9);
}

int main(int argc, char **argv) {
  WANT(argc == 2);
#define CASE(name) if (!strcmp(argv[1], #name)) { name(); return 0; }
  CASES
  return 2;
}
"""

TREE = {"here": 2, "one/data": 10, "two/data": 100}
CASES: dict[str, dict[str, int]] = {
    "by_nftw": TREE,
    "by_nftw64": TREE,
    "without_chdir": {"here": 2, "data": 10},
    "by_a_jump": {"here": 2, "one/data": 20, "two/data": 100},
    "by_fts": TREE,
    "by_number": TREE,
    "by_threads": {"here": 2, "one/data": 10, "two/data": 100},
    "by_another_thread": TREE,
    "by_rename": {"here": 2, "old/first": 5, "new/second": 7, "newer/third": 9},
    "by_a_vfork": {"here": 2, "two/data": 100},
    "brackets": {"<STDOUT>": 3, "<overflow>": 5, "<b>": 7, "<c>": 9},
    "daemon_of_all": {"before": 100, "after": 200, "stdout": 40},
    "daemon_here": {"before": 100, "after": 200, "stdout": 40},
    "daemon_with_streams": {"before": 100, "after": 200, "stdout": 48},
    "terminals": {"here": 1, "child": 100, "stdin": 14},
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program with all cases, which are chosen by name. Returns its path."""
    folder = tmp_path_factory.mktemp("folders")
    chosen = "\n".join(f"  CASE({name})" for name in CASES)
    return compile_c(folder, PROGRAM.replace("  CASES\n", chosen + "\n"), "-w", "-lutil")


FOLDER_OF_A_THREAD = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x200))  # CLONE_FS"
ALONE = [pytest.mark.needs(runs(sys.executable, "-c", FOLDER_OF_A_THREAD))]
NEEDED = {"by_threads": ALONE}


@pytest.mark.parametrize("name", [pytest.param(n, marks=NEEDED.get(n, ())) for n in CASES])
def test_names(name: str, build: Path, program: Path, tmp_path: Path) -> None:
    """Every byte is in the record of its file, and no journal remains."""
    bare, watched = both(build, tmp_path, [program, name])
    assert bare.status == 0, bare.stderr
    assert same_end(bare, watched), watched.stderr
    expected = {str(watched.work / file): size for file, size in CASES[name].items()}
    found = {
        path: row["POSIX_BYTES_WRITTEN"]
        for (module, path), row in watched.records.items()
        if module == "POSIX" and row["POSIX_BYTES_WRITTEN"]
    }
    if name == "brackets":
        stdio = {str(watched.work / "<d>"): 10, str(watched.work / "<e>"): 5}
        for path, size in stdio.items():
            assert watched.records["STDIO", path]["STDIO_BYTES_WRITTEN"] == size
    assert found == expected
    assert not watched.journals


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("daemon")])
@pytest.mark.parametrize("tree", ["1", "0"])
def test_a_daemon(name: str, tree: str, build: Path, program: Path, tmp_path: Path) -> None:
    """If a program calls daemon(), its parent process exits inside libc, and what the parent did is
    in the log all the same. tree: "1" if all processes of the run share one log, "0" if each has
    its own."""
    _, watched = both(build, tmp_path, [program, name], extra={"DARSHAN_JOB_TREE": tree})
    assert len(watched.logs) == (1 if tree == "1" else 2) and not watched.journals
    assert watched.value("before", "POSIX_OPENS") == 1
    assert watched.value("after", "POSIX_OPENS") == 1
