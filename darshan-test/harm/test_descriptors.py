"""Bytes are counted for the right file, however its descriptor is created, passed on or closed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from place import absent, runs

SOURCE = Path(__file__).resolve().parent.parent.parent

PRELUDE = r"""
#include "intercept/sys/sys.h"
#include <errno.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[4096];
static void want(int condition, int line) {
  if (!condition) {
    dprintf(2, "line %d: not so (errno %d)\n", line, errno);
    _exit(1);
  }
}
#define WANT(condition) want((condition), __LINE__)
static int make(const char *name) {
  int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
  WANT(fd >= 0);
  return fd;
}
static void put(int fd, int n) { WANT(write(fd, text, n) == n); }
/* Behind the library's back; what is done with it is seen all the same. */
static int unseen(const char *name) {
  int fd = (int)SYS4(SYS_openat, AT_FDCWD, name, O_CREAT | O_RDWR, 0644);
  WANT(fd >= 0);
  return fd;
}
/* A number whose file was closed unseen. */
static int stale(const char *name) {
  int fd = make(name);
  sys_close(fd);
  return fd;
}
#define FAILS(call, error) WANT((call) == -1 && errno == (error))

enum { MOST = 4 };
union control {
  struct cmsghdr head;
  char room[CMSG_SPACE(MOST * sizeof(int))];
};
static void envelope(struct msghdr *message, struct iovec *byte, union control *control, int n) {
  byte->iov_base = text, byte->iov_len = 1;
  *message = (struct msghdr){.msg_iov = byte, .msg_iovlen = 1, .msg_control = control};
  message->msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
}
static void hand_over(int to, const int *fds, int n) {
  struct msghdr message;
  struct iovec byte;
  union control control;
  envelope(&message, &byte, &control, n);
  control.head = (struct cmsghdr){CMSG_LEN((size_t)n * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.head), fds, (size_t)n * sizeof(int));
  WANT(sendmsg(to, &message, 0) == 1);
}
static void take(int from, int *fds, int n, int many) {
  struct mmsghdr message = {.msg_len = 0};
  struct iovec byte;
  union control control;
  envelope(&message.msg_hdr, &byte, &control, MOST);
  if (many)
    WANT(recvmmsg(from, &message, 1, 0, NULL) == 1);
  else
    WANT(recvmsg(from, &message.msg_hdr, MSG_CMSG_CLOEXEC) == 1);
  memcpy(fds, CMSG_DATA(&control.head), (size_t)n * sizeof(int));
}
/* One descriptor, sent to ourselves. */
static int posted(int fd, int many) {
  int ends[2], got;
  WANT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  hand_over(ends[0], &fd, 1);
  sys_close(fd);
  take(ends[1], &got, 1, many);
  close(ends[0]), close(ends[1]);
  return got;
}
static int known_to_us(int pid, int fd) {
  int pidfd = pidfd_open(pid, 0);
  WANT(pidfd >= 0);
  int got = pidfd_getfd(pidfd, fd, 0);
  WANT(got >= 0);
  close(pidfd);
  return got;
}
"""

# name -> (C code of the case, bytes written per file; None: no record)
CASES: dict[str, tuple[str, dict[str, int | None]]] = {
    "dup2_of_nothing": (
        'int fd = make("a"); FAILS(dup2(999, fd), EBADF); put(fd, 100);',
        {"a": 100},
    ),
    "dup3_of_nothing": (
        'int fd = make("a"); FAILS(dup3(999, fd, O_CLOEXEC), EBADF); put(fd, 100);',
        {"a": 100},
    ),
    "dup3_to_itself": (
        'int fd = make("a"); FAILS(dup3(fd, fd, 0), EINVAL); put(fd, 100);',
        {"a": 100},
    ),
    "dup3_with_wrong_flags": (
        'int a = make("a"), b = make("b"); FAILS(dup3(a, b, 1), EINVAL); put(a, 10); put(b, 20);',
        {"a": 10, "b": 20},
    ),
    "dup2_to_itself": ('int fd = make("a"); WANT(dup2(fd, fd) == fd); put(fd, 100);', {"a": 100}),
    "dup2_beyond_the_limit": (
        r"""int fd = make("a");
        struct rlimit limit = {64, 64};
        WANT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        FAILS(dup2(fd, 64), EBADF);
        FAILS(fcntl(fd, F_DUPFD, 64), EINVAL);
        put(fd, 100);""",
        {"a": 100},
    ),
    "dup2_over_a_file": (
        'int a = make("a"), b = make("b"); put(b, 5); WANT(dup2(a, b) == b); put(b, 20);',
        {"a": 20, "b": 5},
    ),
    "a_failed_fcntl": (
        'int fd = make("a"); FAILS(fcntl(999, F_DUPFD, 0), EBADF); put(fd, 100);',
        {"a": 100},
    ),
    "close_of_nothing": (
        'int fd = make("a"); FAILS(close(999), EBADF); put(fd, 100);'
        "WANT(close(fd) == 0); FAILS(close(fd), EBADF);",
        {"a": 100},
    ),
    "close_that_fails": (
        r"""int fd = open("a", O_WRONLY | O_CREAT | O_APPEND, 0644);
        put(fd, 10);
        if (close(fd) == 0) return; /* nobody kept it from the kernel */
        put(fd, 100);""",
        {"a": 10},
    ),
    "raw_dup": (
        r"""int fd = make("a");
        int copy = (int)syscall(SYS_dup, fd), third = (int)syscall(SYS_fcntl, fd, F_DUPFD, 50);
        WANT(copy >= 0 && third == 50 && syscall(SYS_dup3, fd, 60, O_CLOEXEC) == 60);
        put(copy, 1), put(third, 2), put(60, 4);
        FAILS(syscall(SYS_dup3, 999, fd, 0), EBADF);
        put(fd, 8);""",
        {"a": 15},
    ),
    "raw_dup3_over_a_file": (
        r"""int a = make("a"), b = make("b"), c = unseen("c");
        WANT(syscall(SYS_dup3, a, b, 0) == b); put(b, 20);
        WANT(syscall(SYS_dup3, c, a, 0) == a); put(a, 700);""",
        {"a": 20, "b": 0, "c": 700},
    ),
    "raw_close_range": (
        r"""int fd = make("a");
        WANT(syscall(SYS_close_range, fd, ~0u, 4) == 0); /* on exec, not now */
        put(fd, 10);
        WANT(syscall(SYS_close_range, fd, ~0u, 0) == 0 && unseen("b") == fd);
        put(fd, 700);""",
        {"a": 10, "b": 700},
    ),
    "raw_openat2": (
        r"""struct open_how how = {.flags = O_CREAT | O_RDWR, .mode = 0600};
        int fd = (int)syscall(SYS_openat2, AT_FDCWD, "a", &how, sizeof(how));
        WANT(fd >= 0); put(fd, 100);
        WANT(mkdir("folder", 0755) == 0);
        int folder = open("folder", O_RDONLY | O_DIRECTORY);
        how.resolve = RESOLVE_IN_ROOT;
        int deep = (int)syscall(SYS_openat2, folder, "/../b", &how, sizeof(how));
        WANT(deep >= 0); put(deep, 30);
        how.resolve = 1ull << 63;
        FAILS(syscall(SYS_openat2, AT_FDCWD, "a", &how, sizeof(how)), EINVAL);
        put(fd, 1);""",
        {"a": 101, "folder/b": 30},
    ),
    "raw_memfd": (
        'int fd = (int)syscall(SYS_memfd_create, "label", 0); WANT(fd >= 0); put(fd, 100);',
        {"<memfd:label>": 100},
    ),
    "raw_descriptors_of_other_things": (
        r"""int old = stale("a"), second = stale("b"); /* both the same number */
        WANT(old == second);
        int made[] = {(int)syscall(SYS_eventfd2, 0, 0), 0};
        WANT(made[0] == old && dup(made[0]) >= 0);
        int a = make("c"), b = make("d"), ends[2];
        sys_close(a), sys_close(b);
        WANT(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ends[0] == a);
        put(ends[0], 700), put(ends[1], 700);""",
        {"a": 0, "b": 0, "c": 0, "d": 0},
    ),
    "sent_over_a_socket": (
        'int fd = unseen("a"); put(fd, 7); int got = posted(fd, 0); put(got, 100);',
        {"a": 107},
    ),
    "sent_over_a_socket_many": (
        'int fd = unseen("a"); put(fd, 7); int got = posted(fd, 1); put(got, 100);',
        {"a": 107},
    ),
    "sent_by_a_child": (
        r"""int ends[2], fds[3], wait_for, old = stale("old");
        WANT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        pid_t child = fork();
        if (child == 0) {
          int mine[] = {unseen("a"), unseen("b"), ends[0]};
          hand_over(ends[0], mine, 3);
          _exit(0);
        }
        WANT(waitpid(child, &wait_for, 0) == child && wait_for == 0);
        sys_close(dup2(ends[0], old)); /* its number is free again, and stale */
        take(ends[1], fds, 3, 0);
        put(fds[0], 10), put(fds[1], 20), put(fds[2], 700);
        WANT(dup2(fds[0], 70) == 70);
        close(fds[0]);
        put(70, 40);""",
        {"a": 50, "b": 20, "old": 0},
    ),
    "sent_but_deleted": (
        r"""int fd = unseen("a"), other = unseen("b (deleted)");
        WANT(unlink("a") == 0);
        put(posted(fd, 0), 100), put(posted(other, 0), 30);""",
        {"a": 100, "b (deleted)": 30, "b": None, "a (deleted)": None},
    ),
    "offsets_that_cannot_be_read": (
        r"""int fd = make("a"), ends[2];
        off_t *bad = (off_t *)1;
        void *closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        WANT(pipe(ends) == 0);
        put(fd, 100);
        FAILS(sendfile(ends[1], fd, bad, 3), EFAULT);
        FAILS(sendfile(ends[1], fd, closed, 3), EFAULT);
        FAILS(copy_file_range(fd, bad, fd, NULL, 3, 0), EFAULT);
        FAILS(copy_file_range(fd, NULL, fd, closed, 3, 0), EFAULT);
        FAILS(splice(fd, bad, ends[1], NULL, 3, 0), EFAULT);
        FAILS(syscall(SYS_sendfile, ends[1], fd, bad, 3), EFAULT);
        FAILS(syscall(SYS_copy_file_range, fd, bad, fd, closed, 3, 0), EFAULT);
        FAILS(syscall(SYS_splice, fd, closed, ends[1], NULL, 3, 0), EFAULT);""",
        {"a": 100},
    ),
    "fetched_from_a_process": (
        r"""int fd = unseen("a");
        put(fd, 7);
        int got = known_to_us(getpid(), fd);
        sys_close(fd);
        put(got, 100);
        int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
        int raw = (int)syscall(SYS_pidfd_getfd, pidfd, got, 0);
        WANT(raw >= 0); put(raw, 30);
        FAILS(pidfd_getfd(pidfd, 999, 0), EBADF);""",
        {"a": 137},
    ),
    "a_stream_that_came_back": (  # from a file that its descriptor referred to, unknown to stdio
        r"""int ends[2], saved = dup(1), fd = make("a");
        WANT(dup2(fd, 1) == 1 && printf("12") == 2 && fflush(stdout) == 0);
        WANT(fileno(stdout) == 1); put(1, 30);
        WANT(dup2(saved, 1) == 1);
        WANT(fileno(stdout) == 1); put(1, 700);
        if (fork() == 0) {
          WANT(pipe(ends) == 0 && dup2(ends[1], 1) == 1 && fileno(stdout) == 1);
          put(1, 700);
          WANT(printf("%s", "nobody's") == 8 && fflush(stdout) == 0);
          _exit(0);
        }
        wait(NULL);""",
        {"a": 30},
    ),
    "a_stream_that_moved_on": (
        r"""WANT(dup2(make("a"), 1) == 1 && printf("12") == 2 && fflush(stdout) == 0);
        WANT(dup2(make("b"), 1) == 1 && fileno(stdout) == 1); put(1, 20);
        WANT(close(1) == 0 && fileno(stdout) == 1 && unseen("c") == 1); put(1, 50);
        WANT(printf("1234") == 4 && fflush(stdout) == 0);""",
        {"a": 0, "b": 20, "c": 50},
    ),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program with all cases, which are chosen by name. Returns its path."""
    cases = "".join(
        f"static void {name}(void) {{\n{body}\n}}\n" for name, (body, _) in CASES.items()
    )
    chosen = "".join(f'  if (!strcmp(argv[1], "{name}")) {name}();\n' for name in CASES)
    main = f"int main(int argc, char **argv) {{\n  WANT(argc == 2);\n{chosen}  return 0;\n}}\n"
    folder = tmp_path_factory.mktemp("descriptors")
    return compile_c(folder, PRELUDE + cases + main, "-I", str(SOURCE / "runtime"), "-w")


FETCH = "import ctypes, os, sys; pid = os.pidfd_open(os.getpid()); "
FETCH += "sys.exit(ctypes.CDLL(None).syscall(438, pid, 0, 0) < 0)  # pidfd_getfd"
NEEDED = {"fetched_from_a_process": [pytest.mark.needs(runs(sys.executable, "-c", FETCH))]}


@pytest.mark.parametrize("name", [pytest.param(n, marks=NEEDED.get(n, ())) for n in CASES])
def test_bytes_belong_to_their_file(name: str, build: Path, program: Path, tmp_path: Path) -> None:
    """Each file has the bytes that were written to it, and no other record has bytes. name: the
    case."""
    bare, watched = both(build, tmp_path, [program, name])
    assert bare.status == 0, bare.stderr
    assert same_end(bare, watched), watched.stderr
    assert len(watched.logs) >= 1 and not watched.journals
    for file, bytes_written in CASES[name][1].items():
        path = file if file.startswith("<") else str(watched.work / file)
        assert (("POSIX", path) in watched.records) == (bytes_written is not None), file
        assert watched.value(file, "POSIX_BYTES_WRITTEN") == (bytes_written or 0), file
    known = [count for count in CASES[name][1].values() if count is not None]
    assert watched.total("POSIX_BYTES_WRITTEN") == sum(known)


def test_position_of_what_arrived(build: Path, program: Path, tmp_path: Path) -> None:
    """The sender of a descriptor may move its offset at any time, so the runtime assumes no offset
    for a received one."""
    _, watched = both(build, tmp_path, [program, "sent_over_a_socket"])
    assert watched.value("a", "POSIX_MAX_BYTE_WRITTEN") == 0
    assert watched.value("a", "POSIX_EXT_UNPLACED_WRITTEN") == 107
    assert watched.value("a", "POSIX_CONSEC_WRITES") == 1
    assert watched.value("a", "POSIX_OPENS") == 0


OF_STREAMS = r"""
#include <stdio.h>
#include <unistd.h>
static char text[4096];
int main(void) {
  for (int i = 0; i < 6; i++) { /* as PyTorch saves: the stream opens, the descriptor writes */
    FILE *again = fopen("again", "w"), *behind = fopen("behind", i ? "r+" : "w");
    if (!again || !behind) return 1;
    if (write(fileno(again), text, 1000) != 1000 || write(fileno(again), text, 24) != 24) return 2;
    if (fseek(behind, 100 * i, SEEK_SET) || write(fileno(behind), text, 100) != 100) return 3;
    if (fclose(again) || fclose(behind)) return 4;
  }
  return 0;
}
"""


def test_position_of_a_streams_descriptor(build: Path, tmp_path: Path) -> None:
    """A descriptor that a program gets from a stream has the stream's offset, also if another
    stream used the file before."""
    program = compile_c(tmp_path, OF_STREAMS)
    _, watched = both(build, tmp_path, [program])
    assert watched.value("again", "POSIX_MAX_BYTE_WRITTEN") == 1023
    assert watched.value("again", "POSIX_CONSEC_WRITES") == 6
    assert watched.value("behind", "POSIX_MAX_BYTE_WRITTEN") == 599
    for name in ("again", "behind"):
        assert (
            watched.value(name, "POSIX_OPENS")
            == watched.value(name, "POSIX_FILENOS")
            == 12 - 6 * (name == "behind")
        )


UNNAMED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++) {
    struct stat st;
    char self[40];
    int fd = open(argv[1], O_TMPFILE | O_RDWR, 0600);
    if (fd < 0) return 77;
    if (write(fd, "0123456789", 5 + i) < 0 || fstat(fd, &st) < 0) return 1;
    printf("%lu\n", (unsigned long)st.st_ino);
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (i == 1 && linkat(AT_FDCWD, self, AT_FDCWD, "linked", AT_SYMLINK_FOLLOW) < 0) return 2;
    if (write(fd, "x", 1) < 0) return 3;
  }
  return 0;
}
"""


@pytest.mark.parametrize("folder", [".", "below", "full"])
def test_files_without_a_name(build: Path, tmp_path: Path, folder: str) -> None:
    """A file without a name has the name that the kernel reports; its bytes are not counted for the
    folder."""
    program = compile_c(tmp_path, UNNAMED)
    where = str(tmp_path / "work") if folder == "full" else folder
    _, watched = both(
        build, tmp_path, [program, where], lambda work: (work / "below").mkdir() or None
    )
    if watched.status == 77:
        absent("this file system has no O_TMPFILE")
    assert watched.status == 0
    below = watched.work / "below" if folder == "below" else watched.work
    numbers = watched.stdout.decode().split()
    for i, number in enumerate(numbers):
        assert watched.value(str(below / f"#{number}"), "POSIX_BYTES_WRITTEN") == 5 + i + 1
        assert watched.value(str(below / f"#{number}"), "POSIX_OPENS") == 1
    assert watched.total("POSIX_BYTES_WRITTEN") == 5 + 6 + 7 + 3


@pytest.mark.needs("ptrace")
def test_a_close_that_never_came_to_the_kernel(build: Path, program: Path, tmp_path: Path) -> None:
    """If close fails before the kernel closes the descriptor, later writes through the descriptor
    are still counted."""
    keep = ["-P", "a", "-e", "trace=close", "-e", "inject=close:error=EIO"]
    command = ["strace", "-qq", "-o", tmp_path / "trace", *keep, program, "close_that_fails"]
    bare, watched = both(build, tmp_path, command, lambda work: (work / "a").touch() or None)
    assert bare.status == watched.status == 0, watched.stderr
    assert (watched.work / "a").stat().st_size == 110
    assert watched.value("a", "POSIX_BYTES_WRITTEN") == 110
