"""The log has all I/O that happens at the end of a process: in exit handlers, destructors and
streams."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import SHARED, compile_c
from lab.watch import Outcome
from place import absent

PUT = r"""
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void put(const char *name, int n) {
  static char text[4096];
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0 || write(fd, text, (size_t)n) != n || close(fd) != 0) abort();
}
"""

LIBRARY = (
    PUT
    + r"""
static void at_exit(void) { put(NAME "-atexit", 20); }
static void on_the_exit(int status, void *unused) {
  (void)status, (void)unused, put(NAME "-on_exit", 40);
}
static void quick(void) { put(NAME "-quick", 60); }
__attribute__((constructor)) static void begin(void) {
  atexit(at_exit);
#ifndef UNLOADED /* when it is called, nothing of such a library is there */
  on_exit(on_the_exit, NULL);
#endif
  at_quick_exit(quick);
  if (getenv("ENDS_IN_CONSTRUCTOR")) put(NAME "-constructor", 80), exit(3);
}
__attribute__((destructor)) static void end(void) {
  put(NAME "-destructor", 30);
  if (getenv("ENDS_IN_DESTRUCTOR")) _exit(4);
}
int LINKED;
"""
)

PROGRAM = (
    PUT
    + r"""
#include <dlfcn.h>
#ifdef LINKED
extern int LINKED;
#endif
static void later(void) { put("later", 7); }
static void at_exit(void) { put("atexit", 5), atexit(later); }
static void quick_first(void) { put("quick-first", 1); }
static void quick_last(void) { put("quick-last", 2), at_quick_exit(quick_first); }
__attribute__((destructor)) static void end(void) { put("destructor", 3); }
static void of_thread(void *unused) { (void)unused, put("key", 9); }
static pthread_key_t key;
static pthread_t main_thread;
/* Not while main is being unwound: a static program forgets at exit how to do that, and aborts. */
static void *thread(void *way) {
  put("thread", 11);
  if (!strcmp(way, "thread-exits")) pthread_join(main_thread, NULL), exit(0);
  return NULL;
}
static void handler(int number) { (void)number, exit(0); }

static ssize_t cookie_write(void *name, const char *from, size_t n) {
  (void)from, put(name, (int)n);
  return (ssize_t)n;
}
static ssize_t no_read(void *name, char *to, size_t n) { (void)name, (void)to, (void)n; return 0; }
static FILE *cookie(char *name) {
  return fopencookie(name, "w", (cookie_io_functions_t){.read = no_read, .write = cookie_write});
}
static volatile int go = 1;
static void *writer(void *unused) {
  while (go) put("endless", 1);
  return unused;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
#ifdef LINKED
  LINKED = 1;
#endif
  put("main", 13);
  atexit(at_exit);
  at_quick_exit(quick_last);
  pthread_key_create(&key, of_thread);
  if (!strcmp(way, "exit")) exit(0);
  if (!strcmp(way, "quick_exit")) quick_exit(0);
  if (!strcmp(way, "handler")) signal(SIGUSR1, handler), raise(SIGUSR1);
  if (!strcmp(way, "last-thread") || !strcmp(way, "thread-exits")) {
    pthread_t one;
    main_thread = pthread_self();
    pthread_create(&one, NULL, thread, (void *)way);
    pthread_exit(NULL);
  }
  if (!strcmp(way, "key")) pthread_setspecific(key, &key), pthread_exit(NULL);
  if (!strcmp(way, "cookie")) {
    FILE *first = cookie("cookie-first"), *gone = cookie("cookie-gone");
    FILE *last = cookie("cookie-last");
    setvbuf(last, NULL, _IOFBF, 64);
    fputs("abc", gone), fputs("abcde", first);
    fclose(gone);
    for (int i = 0; i < 100; i++) fputc('x', last); /* a part of it now */
  }
  if (!strcmp(way, "endless")) {
    pthread_t one;
    pthread_create(&one, NULL, writer, NULL);
    usleep(20000);
  }
  if (!strcmp(way, "plugin")) {
    void *plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), *other = dlopen(argv[3], RTLD_NOW);
    if (!plugin || !other || dlclose(other) != 0) abort(); /* one is closed, one is not */
  }
  return 0;
}
"""
)

OF_MAIN = {"main": 13, "atexit": 5, "later": 7, "destructor": 3}
OF_QUICK = {"main": 13, "quick-last": 2, "quick-first": 1}
OF_THREAD = {**OF_MAIN, "thread": 11}
WAYS = {
    "return": OF_MAIN,
    "exit": OF_MAIN,
    "handler": OF_MAIN,
    "last-thread": OF_THREAD,
    "thread-exits": OF_THREAD,
    "key": {**OF_MAIN, "key": 9},
    "cookie": {**OF_MAIN, "cookie-first": 5, "cookie-gone": 3, "cookie-last": 100},
    "quick_exit": OF_QUICK,
}


def of_library(name: str, way: str) -> dict[str, int]:
    """Returns the files, with their sizes, that a library of this name writes at exit. way: how the
    process ends."""
    if way == "quick_exit":
        return {f"{name}-quick": 60}
    return {f"{name}-atexit": 20, f"{name}-on_exit": 40, f"{name}-destructor": 30}


def all_is_there(outcomes: tuple[Outcome, Outcome], expected: dict[str, int]) -> None:
    """Checks that status and output are the same with and without the runtime, that the program
    wrote these files and no others, and that one log has every byte of them. expected: the size of
    each file."""
    bare, watched = outcomes
    assert same_end(bare, watched), watched.stderr
    assert len(watched.logs) == 1 and not watched.journals
    written = {path.name: path.stat().st_size for path in watched.work.iterdir()}
    assert written == expected
    for file, size in expected.items():
        assert watched.value(file, "POSIX_BYTES_WRITTEN") == size, file


def compile_library(folder: Path, name: str, *flags: str | Path) -> Path:
    """Compiles a library whose files begin with `name`. Returns its path. flags: of the
    compiler."""
    own = (f'-DNAME="{name}"', f"-DLINKED={name}_linked")
    return compile_c(folder, LIBRARY, *SHARED, *own, *flags, name=f"lib{name}.so")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the programs, and libraries that depend on each other, into one folder. Returns
    their folder."""
    place = tmp_path_factory.mktemp("ends")
    below = compile_library(place, "below")
    compile_library(place, "above", "-Wl,--no-as-needed", below, f"-Wl,-rpath,{place}")
    compile_library(place, "plugin")
    compile_library(place, "other", "-DUNLOADED")
    compile_c(place, PROGRAM)
    libraries = [str(place / f"lib{name}.so") for name in ("above", "below")]
    compile_c(
        place,
        PROGRAM,
        "-DLINKED=above_linked",
        *libraries,
        f"-Wl,-rpath,{place}",
        name="linked",
    )
    return place


@pytest.mark.parametrize("way", WAYS)
def test_program(way: str, build: Path, folder: Path, tmp_path: Path) -> None:
    """A program ends in each way. The log has what its exit handlers, the destructors of
    thread-specific keys, and streams with functions of the program write."""
    all_is_there(both(build, tmp_path, [folder / "program", way]), WAYS[way])


@pytest.mark.parametrize("way", ["return", "last-thread", "quick_exit"])
def test_libraries(way: str, build: Path, folder: Path, tmp_path: Path) -> None:
    """The log has what the destructors of two libraries write, even if they run after the runtime's
    own destructor."""
    expected = {**WAYS[way], **of_library("above", way), **of_library("below", way)}
    all_is_there(both(build, tmp_path, [folder / "linked", way]), expected)


def test_plugins(build: Path, folder: Path, tmp_path: Path) -> None:
    """The log has what the destructors and exit handlers of a plugin write, whether it is closed
    before exit or stays open."""
    command = [folder / "program", "plugin", folder / "libplugin.so", folder / "libother.so"]
    closed = of_library("other", "return")
    del closed["other-on_exit"]
    expected = {**OF_MAIN, **of_library("plugin", "return"), **closed}
    all_is_there(both(build, tmp_path, command), expected)


def test_exit_in_a_constructor(build: Path, folder: Path, tmp_path: Path) -> None:
    """The log is complete if a constructor calls exit() before main, and before the loader
    registers destructors, so that no destructor runs."""
    expected = {f"below-{what}": n for what, n in (("constructor", 80), ("atexit", 20))}
    outcomes = both(build, tmp_path, [folder / "linked"], extra={"ENDS_IN_CONSTRUCTOR": "1"})
    assert outcomes[0].status != 3  # the variable is not set there
    bare = subprocess.run(
        [folder / "linked"], cwd=tmp_path / "bare", env={"ENDS_IN_CONSTRUCTOR": "1"}, check=False
    )
    watched = outcomes[1]
    assert watched.status == bare.returncode == 3
    assert len(watched.logs) == 1 and not watched.journals
    for file, size in {**expected, "below-on_exit": 40}.items():
        assert watched.value(file, "POSIX_BYTES_WRITTEN") == size, file


def test_end_in_a_destructor(build: Path, folder: Path, tmp_path: Path) -> None:
    """A library's destructor calls _exit before the destructors of other libraries have run; the
    log has everything until then."""
    _, watched = both(build, tmp_path, [folder / "linked"], extra={"ENDS_IN_DESTRUCTOR": "1"})
    assert watched.status == 4
    assert len(watched.logs) == 1 and not watched.journals
    for path in watched.work.iterdir():
        assert watched.value(path.name, "POSIX_BYTES_WRITTEN") == path.stat().st_size, path


CXX = (
    PUT
    + r"""
struct says {
  const char *name;
  int n;
  ~says() { put(name, n); }
};
static says statically{"static", 21};
static thread_local says of_thread{"thread_local", 22};
says &local() { static says it{"local", 23}; return it; }
int main() { return of_thread.n + local().n + statically.n == 66 ? 0 : 1; }
"""
)


@pytest.mark.needs("program:g++")
def test_objects_of_cxx(build: Path, tmp_path: Path) -> None:
    """The destructors of static, local and thread-local C++ objects write, and the log has these
    writes."""
    program, source = tmp_path / "objects", tmp_path / "objects.cpp"
    source.write_text(CXX)
    subprocess.run(["g++", "-o", program, source], check=True)
    all_is_there(both(build, tmp_path, [program]), {"static": 21, "thread_local": 22, "local": 23})


def printed(*command: str) -> str:
    """Returns the output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def static(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program, statically linked with the runtime. Returns its path."""
    if not Path(printed("gcc", "-print-file-name=libc.a")).is_absolute():
        absent("there is no libc.a")
    folder = tmp_path_factory.mktemp("static")
    flags = ["-static", f"-Wl,@{archives}/ld-options", str(archives / "libdarshan.a"), "-w"]
    return compile_c(folder, PROGRAM, *flags)


@pytest.mark.parametrize("way", WAYS)
def test_static(way: str, build: Path, static: Path, tmp_path: Path) -> None:
    """A statically linked program that ends in one of these ways has a log with all that it wrote,
    as test_program says."""
    all_is_there(both(build, tmp_path, [static, way]), WAYS[way])


def test_a_thread_that_never_ends(build: Path, folder: Path, tmp_path: Path) -> None:
    """A thread writes until the process is gone. Only the bytes that it writes after the log was
    finalized are missing."""
    _, watched = both(build, tmp_path, [folder / "program", "endless"])
    assert watched.status == 0 and len(watched.logs) == 1 and not watched.journals
    counted = watched.value("endless", "POSIX_BYTES_WRITTEN")
    assert 0 < counted <= (watched.work / "endless").stat().st_size
    assert all(watched.value(file, "POSIX_BYTES_WRITTEN") == n for file, n in OF_MAIN.items())
