"""A program under a seccomp filter, its own or an inherited one, exits as without the runtime."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from lab.command import finished
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import preload, settings
from lab.log import metadata_of
from lab.watch import Outcome
from place import elsewhere

SOURCE = Path(__file__).with_name("cage.c")
EARLY, LATE = 50, 10_000  # bytes that the program writes to "before", before and after the filter


@pytest.fixture(scope="module")
def cage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program; its arguments select the filter and what is done. Returns its path."""
    return compile_c(tmp_path_factory.mktemp("cage"), SOURCE.read_text(), name="cage")


def behind(build: Path, folder: Path, cage: Path, way: str, what: str) -> Outcome:
    """Runs cage.c with the arguments `way` and `what`, and checks that exit status and output are
    the same without and with the runtime. Returns the outcome with the runtime."""
    bare, watched = both(build, folder, [cage, way, what])
    assert bare.status == 7, bare
    assert bare.stdout == b"done\n"
    assert same_end(bare, watched), watched
    return watched


@pytest.mark.needs("program:strace")
@pytest.mark.parametrize("whose", ["thread", "all"])
@pytest.mark.parametrize("call", ["ftruncate", "fallocate", "openat"])
def test_filter_while_another_thread_is_at_the_journal(
    call: str, whose: str, build: Path, tmp_path: Path
) -> None:
    """A filter is installed while another thread works on the journal. The other thread's blocked
    signals are restored, and its descriptor of the journal is closed."""
    source = Path(__file__).with_name("caught.c").read_text()
    program = compile_c(tmp_path, source, name="caught")
    inject = f"inject={call}:delay_exit=300000:when={'2+1' if call == 'openat' else '1'}"
    strace = ["strace", "-f", "-qq", "-o", tmp_path / "trace", "-e", f"trace={call}", "-e", inject]
    bare, watched = both(build, tmp_path, [program, whose], traced=strace)
    assert (bare.status, bare.stdout) == (7, b"0 signals blocked, 0 files open\n")
    assert same_end(bare, watched), watched
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 10


@pytest.mark.parametrize("what", ["write", "exit2"])
@pytest.mark.parametrize("way", ["prctl", "seccomp", "tsync", "errno", "trap"])
def test_every_write_is_in_the_journal(
    way: str, what: str, build: Path, tmp_path: Path, cage: Path
) -> None:
    """If a filter kills the process at other calls, or refuses them, no log is written, and the
    journal has each write. way: how the filter is set, or what it does. what: how the program goes
    on."""
    watched = behind(build, tmp_path, cage, way, what)
    assert not watched.logs
    assert len(watched.journals) == 1
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == EARLY + LATE
    assert watched.value("before", "POSIX_WRITES") == (EARLY + LATE) / 10


@pytest.mark.needs("no-filter")  # the kernel allows no strict mode behind a filter
def test_strict_mode(build: Path, tmp_path: Path, cage: Path) -> None:
    """In seccomp's strict mode, which permits only read, write, exit and sigreturn, all writes are
    in the journal."""
    watched = behind(build, tmp_path, cage, "strict", "write")
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == EARLY + LATE


@pytest.mark.needs("no-filter")
def test_where_time_stands_still(build: Path, tmp_path: Path, cage: Path) -> None:
    """Strict mode forbids reading any clock, so times are 0; the size of the longest write is
    recorded."""
    watched = behind(build, tmp_path, cage, "strict", "unwritten")
    assert watched.value("unwritten", "POSIX_BYTES_WRITTEN") == 10
    assert watched.value("unwritten", "POSIX_F_MAX_WRITE_TIME") == 0
    assert watched.value("unwritten", "POSIX_MAX_WRITE_TIME_SIZE") == 10


def test_more_files_than_there_was_memory_for(build: Path, tmp_path: Path, cage: Path) -> None:
    """Behind a filter the runtime can allocate no memory. Files beyond what it had allocated before
    share the overflow record, so no byte is lost."""
    watched = behind(build, tmp_path, cage, "prctl", "files")
    (journal,) = watched.journals
    assert watched.total("POSIX_BYTES_WRITTEN") == EARLY + LATE + 30_000
    assert watched.value("f0", "POSIX_BYTES_WRITTEN") == 10
    assert watched.value("<overflow>", "POSIX_BYTES_WRITTEN") > 0
    told = subprocess.run(
        [build / "darshan-parser", "--show-incomplete", journal],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "# metadata: seccomp = installed" in told


def test_one_thread_locks_all_up(build: Path, tmp_path: Path, cage: Path) -> None:
    """If one thread sets a filter for all threads, the bytes of all are counted."""
    watched = behind(build, tmp_path, cage, "tsync", "threads")
    assert watched.total("POSIX_BYTES_WRITTEN") == EARLY + LATE + 4 * 300 * 10


@pytest.mark.parametrize("way", ["prctl", "seccomp", "tsync"])
def test_filter_before_the_first_record(way: str, build: Path, tmp_path: Path, cage: Path) -> None:
    """If a filter is installed before the first record, some files have records and the others
    share the overflow record: no byte is lost."""
    watched = behind(build, tmp_path, cage, way, "first")
    assert not watched.logs and len(watched.journals) == 1
    assert watched.value("f0", "POSIX_BYTES_WRITTEN") == 10
    assert watched.total("POSIX_BYTES_WRITTEN") == 5000


@pytest.mark.parametrize("what", ["fork", "vfork"])
def test_children(what: str, build: Path, tmp_path: Path, cage: Path) -> None:
    """The records of a child process that has the filter are lost; those of the parent are
    complete."""
    watched = behind(build, tmp_path, cage, "prctl", what)
    assert watched.value("before", "POSIX_BYTES_WRITTEN") == EARLY + LATE + 3000
    assert watched.total("POSIX_BYTES_WRITTEN") == EARLY + LATE + 3000 + 30


def test_a_filter_that_was_refused_changes_nothing(build: Path, tmp_path: Path, cage: Path) -> None:
    """A filter that the kernel refuses has no effect: the program leaves a log with all bytes."""
    watched = behind(build, tmp_path, cage, "failed", "files")
    assert len(watched.logs) == 1
    assert not watched.journals
    assert watched.value("f2000", "POSIX_BYTES_WRITTEN") in (0, 10)
    assert watched.total("POSIX_BYTES_WRITTEN") == EARLY + LATE + 30_000


def test_a_program_that_is_not_watched(build: Path, tmp_path: Path, cage: Path) -> None:
    """A program that is not recorded runs under its filter as without the runtime."""
    off = {"DARSHAN_ENABLE_NONMPI": "0"}
    bare, watched = both(build, tmp_path, [cage, "prctl", "files"], extra=off)
    assert same_end(bare, watched)
    assert not watched.logs + watched.journals


WRITER = """
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  int fd = open("file", O_CREAT | O_WRONLY, 0644);
  for (int i = 0; i < 100; i++)
    if (write(fd, "0123456789", 10) != 10) return 1;
  if (write(1, "written\\n", 8) != 8) return 2;
  return 5;
}
"""


@pytest.mark.parametrize("way", ["container", "loader"])
@pytest.mark.parametrize("calls", ["", "*"], ids=["default", "all"])
def test_inherited(way: str, calls: str, build: Path, tmp_path: Path, cage: Path) -> None:
    """If a program inherits a filter, the runtime writes its log by the system calls that the
    loader makes, and by write. calls: the setting DARSHAN_FILTER_CALLS; "": its default."""
    if (way, calls) == ("loader", "*"):
        elsewhere("that filter kills for it, as the setting says")
    writer = compile_c(tmp_path, WRITER, name="writer")
    extra = {"PRELOAD": str(build / "libdarshan.so"), **preload()}
    if calls:
        extra["DARSHAN_FILTER_CALLS"] = calls
    extra["PWD"] = str(tmp_path / "work")
    bare, watched = both(build, tmp_path, [cage, way, "launch", writer], extra=extra)
    assert bare.status == 5, bare
    assert same_end(bare, watched), watched
    assert len(watched.logs) == 1
    assert not watched.journals
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 1000
    assert os.stat(watched.logs[0]).st_mode & 0o222 == 0


CHILDLESS = r"""
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int status, folder = open(".", O_RDONLY | O_DIRECTORY);
  if (wait4(-1, &status, WNOHANG | __WALL, NULL) != -1 || errno != ECHILD) return 1;
  int fd = openat(folder, "file", O_CREAT | O_WRONLY, 0644);
  for (int i = 0; i < 100; i++)
    if (write(fd, "0123456789", 10) != 10) return 1;
  if (argc > 1) raise(SIGKILL);
  return 5;
}
"""


@pytest.fixture(scope="module")
def childless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the compiled program that starts another one without a child of its own."""
    return compile_c(tmp_path_factory.mktemp("childless"), CHILDLESS, name="childless")


def inside(
    build: Path, folder: Path, command: list[str | Path], before: tuple[str, ...] = ()
) -> Outcome:
    """Runs a command of cage that launches a program; checks that exit status and output are the
    same without and with the runtime. before: words in front of the command. Returns the outcome
    with the runtime."""
    extra = {"PRELOAD": str(build / "libdarshan.so"), **preload()}
    bare, watched = both(build, folder, [*before, *command], extra=extra)
    assert same_end(bare, watched), watched
    assert sorted(path.name for path in watched.work.iterdir()) == ["file"]  # no core dump
    return watched


def test_a_container_costs_nothing(
    build: Path, tmp_path: Path, cage: Path, childless: Path
) -> None:
    """If a shell under the same filter started the process, a child process probes which calls the
    filter permits, and the log is written as usual."""
    watched = inside(build, tmp_path, [cage, "container", "launch", f"+{childless}"])
    assert watched.status == 5
    assert (len(watched.logs), watched.journals) == (1, [])
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 1000


def test_a_killed_program_in_a_container(
    build: Path, tmp_path: Path, cage: Path, childless: Path
) -> None:
    """A program that is killed in a container with a filter leaves a journal with its bytes."""
    watched = inside(build, tmp_path, [cage, "container", "launch", f"+{childless}", "dies"])
    assert watched.status == 128 + signal.SIGKILL
    assert (watched.logs, len(watched.journals)) == ([], 1)
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 1000


@pytest.mark.needs("root", "runs:unshare --pid --fork --mount-proc")
def test_first_process_of_a_container(
    build: Path, tmp_path: Path, cage: Path, childless: Path
) -> None:
    """The first process of a container, which has a container engine's filter and no visible
    parent, is recorded as usual."""
    engine = ("unshare", "--pid", "--fork", "--mount-proc")
    watched = inside(build, tmp_path, [cage, "engine", "launch", childless], engine)
    assert watched.status == 5
    assert (len(watched.logs), watched.journals) == (1, [])
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 1000


def test_a_filter_that_kills_and_lets_fork(
    build: Path, tmp_path: Path, cage: Path, childless: Path
) -> None:
    """If a filter kills at calls that it does not permit, the child process that the runtime starts
    to probe the filter is killed, but the program continues and has a log."""
    watched = inside(build, tmp_path, [cage, "forks", "launch", f"+{childless}"])
    assert watched.status == 5
    assert len(watched.logs) == 1
    assert watched.total("POSIX_BYTES_WRITTEN") == 1000


COUNTER = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static int put(const char *name) {
  int fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
  return fd < 0 || write(fd, "12345", 5) != 5 || close(fd);
}
int main(int argc, char **argv) {
  if (argc > 1 && put("before")) return 2;
  int asked = prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  printf("%d %s\n", asked, argc > 1 ? argv[1] : "");
  return put("behind");
}
"""


@pytest.mark.needs("processor:x86_64")
@pytest.mark.parametrize("arguments", [[], ["recorded"]])
def test_counter_that_is_forbidden(arguments: list[str], build: Path, tmp_path: Path) -> None:
    """After prctl(PR_SET_TSC), reading the time stamp counter raises SIGSEGV: the program ends as
    usual, and the log has all bytes."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, COUNTER), *arguments])
    assert bare.status == 0
    assert same_end(bare, watched), watched
    assert watched.total("POSIX_BYTES_WRITTEN") == 5 * (1 + len(arguments))


DISPATCH = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static unsigned long start, length;
static volatile char forbidden;
static int find(struct dl_phdr_info *library, size_t size, void *nothing) {
  (void)size;
  if (strstr(library->dlpi_name, "libc.so"))
    for (int i = 0; i < library->dlpi_phnum; i++)
      if (library->dlpi_phdr[i].p_type == PT_LOAD && (library->dlpi_phdr[i].p_flags & PF_X)) {
        start = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
        length = library->dlpi_phdr[i].p_memsz;
      }
  return nothing != NULL;
}
static int put(int number) {
  char name[16];
  snprintf(name, sizeof(name), "f%d", number);
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  return fd < 0 || write(fd, "12345", 5) != 5 || close(fd);
}
int main(void) {
  dl_iterate_phdr(find, NULL);
  if (put(0)) return 2;
  int asked = prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, start, length, &forbidden);
  forbidden = asked == 0;
  for (int i = 1; i < 200; i++)
    if (put(i)) return 3;
  printf("%d\n", asked);
  return 7;
}
"""


def test_calls_of_libc_alone(build: Path, tmp_path: Path) -> None:
    """After syscall user dispatch, a system call from code outside libc raises SIGSYS, as in
    emulators: the program ends as usual, and all writes are in the journal."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, DISPATCH)])
    assert bare.status == 7
    assert same_end(bare, watched), watched
    assert watched.total("POSIX_BYTES_WRITTEN") == 5 * 200
    if bare.stdout == b"0\n":  # else this kernel lacks it
        assert (
            metadata_of(build / "darshan-parser", watched.journals[0])["syscall_user_dispatch"]
            == "installed"
        )


# A handler that interrupts a call waits for another thread, which uses the same file.
_WAITS = r"""
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
static int fd;
static volatile int asked, handled;
static void handler(int number) {
  (void)number;
  asked = 1;
  while (asked) ;
  handled++;
}
static void *answer(void *unused) {
  for (;;) {
    while (!asked) ;
    if (lseek(fd, 0, SEEK_CUR) < 0) _exit(1);
    asked = 0;
  }
  return unused;
}
int main(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {1, code};
  struct itimerval often = {{0, 500}, {0, 500}};
  sigset_t alarms;
  pthread_t thread;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL); /* in the other thread */
  fd = open("both", O_CREAT | O_WRONLY | O_APPEND, 0644);
  if (pthread_create(&thread, NULL, answer, NULL) || write(fd, "a", 1) != 1) return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 3;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)) return 4;
  signal(SIGALRM, handler);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  while (handled < 40)
    if (lseek(fd, 0, SEEK_CUR) < 0) return 5;
  return 0;
}
"""


def test_a_handler_that_waits_for_a_thread(build: Path, tmp_path: Path) -> None:
    """Behind a filter, a thread does not wait for ever for a lock whose holder is in a handler that
    waits for this thread."""
    program = compile_c(tmp_path, _WAITS, name="waits")
    done = finished([program], cwd=tmp_path, env=settings(build), timeout=100)
    assert done.returncode == 0, done
