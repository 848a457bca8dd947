"""The journal file never harms the program, and messages about it are true."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.command import finished
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.log import Log, parsed
from lab.watch import Outcome

THREADS, CALLS = 4, 8

# Each thread writes 10 bytes CALLS times to a file of its own.
WRITERS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t begin;
static void *writer(void *number) {
  char name[32];
  snprintf(name, sizeof(name), "file-%ld", (long)number);
  pthread_barrier_wait(&begin);
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < CALLS; i++)
    if (write(fd, "0123456789", 10) != 10) return "";
  close(fd);
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  void *failed, *any = NULL;
  pthread_barrier_init(&begin, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, writer, (void *)i);
  for (int i = 0; i < THREADS; i++)
    if (pthread_join(threads[i], &failed) != 0 || failed) any = "";
  return any != NULL;
}
""".replace("CALLS", str(CALLS)).replace("THREADS", str(THREADS))


def bytes_written(outcome: Outcome) -> float:
    """Returns the bytes written in all records."""
    return outcome.total("POSIX_BYTES_WRITTEN")


@pytest.mark.needs("program:strace")
@pytest.mark.parametrize("call", ["openat", "ftruncate", "pwrite64", "mmap", "mremap"])
def test_slow_file_system(build: Path, tmp_path: Path, call: str) -> None:
    """If system calls on the journal take long, every call of all threads is recorded, and the run
    has one log. call: the system call that strace delays by 0.3 s or more."""
    program = compile_c(tmp_path, WRITERS)
    # The first call for the journal; all programs make openat and mmap calls as well.
    when = {"openat": "1+9", "mmap": "20+7"}.get(call, "1")
    delay = 2_000_000 if call == "ftruncate" else 300_000
    inject = f"inject={call}:delay_enter={delay}:when={when}"
    strace = ["strace", "-f", "-qq", "-o", tmp_path / "trace", "-e", f"trace={call}", "-e", inject]
    bare, watched = both(build, tmp_path, [program], traced=strace)
    assert same_end(bare, watched)
    assert bare.status == 0
    assert bytes_written(watched) == THREADS * CALLS * 10
    assert (len(watched.logs), watched.journals) == (1, [])


LIMITED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  char name[32];
  for (int i = 0; i < 600; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || write(fd, name, 6) != 6 || close(fd) != 0) return 2;
    struct rlimit limit = {.rlim_cur = 100 << 10, .rlim_max = RLIM_INFINITY};
    if (i == 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  }
  return 0;
}
"""


def test_limit_of_file_size(build: Path, tmp_path: Path) -> None:
    """If the file size limit is lowered after the first records, it also applies to the journal,
    but all bytes are recorded."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, LIMITED)])
    assert same_end(bare, watched)
    assert bare.status == 0
    assert bytes_written(watched) == 600 * 6


def test_limit_of_file_size_in_a_shell(build: Path, tmp_path: Path) -> None:
    """If a shell lowers its file size limit, the runtime's journal does not cause a signal that
    kills the shell."""
    script = "echo x >a; ulimit -f 100; for i in $(seq 600); do echo x >b$i; done"
    bare, watched = both(build, tmp_path, ["bash", "-c", script])
    assert same_end(bare, watched)
    assert bare.status == 0


@pytest.fixture
def mounted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Yields a folder with a file system of its own. The parameter has the arguments of mount."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    if request.param == "btrfs":
        image = tmp_path / "image"
        with image.open("wb") as file:
            file.truncate(160 << 20)
        subprocess.run(["mkfs.btrfs", "-q", image], check=True)
        command = ["mount", "-o", "loop", image, folder]
    else:
        command = ["mount", *request.param.split(), folder]
    subprocess.run(command, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


# write_files writes new files with numbers of this range.
WRITE_FILES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void write_files(int from, int to) {
  char name[32];
  for (int i = from; i < to; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || write(fd, name, 6) != 6 || close(fd) != 0) exit(2);
  }
}
"""

# Makes 20 records, fills the file system of the folder that its argument names, and makes more
# records.
FILLS = (
    WRITE_FILES
    + r"""
int main(int argc, char **argv) {
  static char block[1 << 20];
  write_files(0, 20);
  int full = open(argv[1], O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < (1 << 20); i++) block[i] = (char)(rand() >> 8);
  for (size_t n = sizeof(block); n >= 512; n /= 2)
    while (write(full, block, n) == (ssize_t)n && fsync(full) == 0) block[0]++;
  write_files(0, 300);
  close(full);
  return unlink(argv[1]);
}
"""
)


@pytest.mark.needs("root", "loop:btrfs")
@pytest.mark.parametrize("mounted", ["btrfs"], indirect=True)
def test_full_copy_on_write(build: Path, tmp_path: Path, mounted: Path) -> None:
    """On a copy-on-write file system, a store to a mapped file may fail if the disk is full, so no
    journal is mapped there."""
    program = compile_c(tmp_path, FILLS)
    command = [program, mounted / "full"]
    bare, watched = both(build, tmp_path, command, extra={"DARSHAN_MMAP_LOGPATH": str(mounted)})
    assert bare.status == 0
    assert same_end(bare, watched)
    names = [f"file-{i}" for i in range(300)]
    written = sum(watched.value(name, "POSIX_BYTES_WRITTEN") for name in names)
    assert written == 6 * 320
    assert list(mounted.glob("*mmap-log*")) == []


# Makes a record, runs a command that removes its journal if given one, and exits.
ENDS = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int fd = open("file", O_CREAT | O_WRONLY, 0600);
  if (write(fd, "123456", 6) != 6) return 2;
  unsetenv("LD_PRELOAD");
  return argc > 1 ? system(argv[1]) : 0;
}
"""
NOWHERE = {"DARSHAN_LOGPATH": "/dev/null/nowhere"}


def test_kept_records(build: Path, tmp_path: Path) -> None:
    """If the log cannot be written, the journal is retained, and the runtime's line on stderr names
    it."""
    program = compile_c(tmp_path, ENDS)
    _, watched = both(build, tmp_path, [program], extra=NOWHERE)
    (journal,) = watched.journals
    assert watched.status == 0
    assert f"; the records are in {journal}\n" in watched.stderr.decode()
    assert watched.value("file", "POSIX_BYTES_WRITTEN") == 6


def test_lost_records(build: Path, tmp_path: Path) -> None:
    """If the journal was removed and the log cannot be written, the runtime's line says that the
    records are lost, and names no journal."""
    program = compile_c(tmp_path, ENDS)
    command = [program, f"rm -rf {tmp_path}/journals/*"]
    _, watched = both(build, tmp_path, command, extra=NOWHERE)
    assert watched.status == 0
    assert "the records are lost" in watched.stderr.decode()
    assert "are in" not in watched.stderr.decode()
    assert watched.journals == []


@pytest.mark.needs("root", "mount")
@pytest.mark.parametrize("mounted", ["-t tmpfs -o size=8k none"], indirect=True)
def test_no_room_for_a_journal(build: Path, tmp_path: Path, mounted: Path) -> None:
    """If the file system of the journals is full and the log cannot be written, neither a journal
    nor an empty file remains, and the runtime's line says that the records are lost."""
    program = compile_c(tmp_path, ENDS)
    extra = {**NOWHERE, "DARSHAN_MMAP_LOGPATH": str(mounted)}
    _, watched = both(build, tmp_path, [program], extra=extra)
    assert watched.status == 0
    assert "the records are lost" in watched.stderr.decode()
    assert list(mounted.iterdir()) == []


# Makes records and a failed lookup, runs a command that truncates its journal, and makes more. With
# a second argument the program has its own SIGBUS handler and ends after the command; with a third
# it also causes a SIGBUS in a mapping of its own file.
TORN = (
    WRITE_FILES
    + r"""
#include <signal.h>
#include <sys/mman.h>
static void handler(int signal) { _exit(signal + 10); }
int main(int argc, char **argv) {
  write_files(0, 40);
  if (access("gone", F_OK) == 0) return 6;
  if (argc > 2) signal(SIGBUS, handler);
  unsetenv("LD_PRELOAD");
  if (system(argv[1]) != 0) return 3;
  if (argc > 3) {
    int fd = open("file-0", O_RDWR);
    char *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0) return 4;
    *own = 1;
    return 5;
  }
  if (argc > 2) return 0;
  if (access("gone too", F_OK) == 0) return 6;
  write_files(0, 300);
  puts("done");
  return 0;
}
"""
)


def says_that_records_are_lost(build: Path, watched: Outcome) -> None:
    """Checks that the run's log counts the process but has no numbers of its lost records."""
    assert watched.journals == []
    (log,) = watched.logs
    found = Log()
    found.add(parsed(build / "darshan-parser", log))
    assert found.metadata["processes_without_records"] == "1"
    assert {row.module for row in found.rows} == {"PROCESS"}
    report = [build / "darshan", "report", "--text", log]
    told = finished(report)
    assert told.returncode == 3
    assert "records of 1 of its processes were lost" in " ".join(told.stdout.split())


CUT = "find {} -name '*.darshan' -exec truncate -s 0 {{}} +"


def test_journal_cut_off(build: Path, tmp_path: Path) -> None:
    """If the journal is truncated during the run, recording ends, the program continues, and the
    runtime's line reports the loss."""
    program = compile_c(tmp_path, TORN)
    cut = CUT.format(tmp_path / "journals")
    bare, watched = both(build, tmp_path, [program, cut])
    assert (bare.status, bare.stdout) == (watched.status, watched.stdout) == (0, b"done\n")
    assert (
        "the records are lost, because another process truncated the journal"
        in watched.stderr.decode()
    )
    says_that_records_are_lost(build, watched)


def test_journal_cut_off_at_the_end(build: Path, tmp_path: Path) -> None:
    """If the runtime notices only at the end that the journal was truncated, it leaves no log full
    of zeros."""
    program = compile_c(tmp_path, ENDS)
    cut = CUT.format(tmp_path / "journals")
    _, watched = both(build, tmp_path, [program, cut])
    assert watched.status == 0
    assert (
        "the records are lost, because another process truncated the journal"
        in watched.stderr.decode()
    )
    says_that_records_are_lost(build, watched)


@pytest.mark.parametrize("arguments", [["own handler"], ["own handler", "own fault"]])
def test_own_handler(build: Path, tmp_path: Path, arguments: list[str]) -> None:
    """The handler for SIGBUS that a program installed is called for the program's own fault."""
    program = compile_c(tmp_path, TORN)
    bare, watched = both(build, tmp_path, [program, "true", *arguments])
    assert same_end(bare, watched)
    assert bare.status == (17 if len(arguments) == 2 else 0)


@pytest.mark.parametrize("how", ["fault", "kill"])
def test_bus_error_of_its_own(build: Path, tmp_path: Path, how: str) -> None:
    """A program's own SIGBUS kills it as without the runtime."""
    source = r"""
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int fd = open("file", O_CREAT | O_RDWR, 0600);
  if (write(fd, "1234", 4) != 4) return 2;
  char *own = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 1) kill(getpid(), SIGBUS);
  own[5000] = 1;
  return 3;
}
"""
    arguments = ["kill"] if how == "kill" else []
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, source), *arguments])
    assert same_end(bare, watched)
    assert bare.status == -signal.SIGBUS
    assert bytes_written(watched) == 4


MANY = r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void *make(void *id) {
  char name[64];
  for (int i = 0; i < 400; i++) {
    snprintf(name, sizeof(name), "of-%d-%d", (int)(size_t)id, i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    for (int k = 0; k < 7; k++)
      if (write(fd, "xyz", 3) != 3) _exit(3);
    close(fd);
  }
  return NULL;
}
int main(void) {
  pthread_t thread[4];
  for (size_t i = 0; i < 4; i++)
    pthread_create(&thread[i], NULL, make, (void *)i);
  for (int i = 0; i < 4; i++)
    pthread_join(thread[i], NULL);
  return kill(getpid(), SIGKILL);
}
"""


def test_killed_after_threads_made_files(build: Path, tmp_path: Path) -> None:
    """Records that are in private memory, while another thread extends the journal, are copied into
    the journal soon after."""
    program = compile_c(tmp_path, MANY)
    for turn in range(12):
        (tmp_path / f"{turn}").mkdir()
        bare, watched = both(build, tmp_path / f"{turn}", [program])
        assert same_end(bare, watched)
        assert bytes_written(watched) == 4 * 400 * 21


NO_MORE = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  char name[256];
  struct rlimit limit = {4, 4};
  for (int i = 0; i < 400; i++) {
    snprintf(name, sizeof(name), "a-name-of-some-length-that-fills-the-journal-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (write(fd, "x", 1) != 1) return 3;
    if (i == 0 && setrlimit(RLIMIT_NOFILE, &limit)) return 4;
    /* All numbers are taken whenever the journal could grow. */
    int second = dup(fd);
    if (i > 0 && second >= 0) return 5;
    if (second >= 0) close(second);
    close(fd);
  }
  return kill(getpid(), SIGKILL);
}
"""


def test_journal_that_cannot_grow_can_be_read(build: Path, tmp_path: Path) -> None:
    """A journal that cannot grow can still be read: it does not refer to names that exist only in
    memory."""
    program = compile_c(tmp_path, NO_MORE)
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert len(watched.journals) == 1
    assert watched.value("a-name-of-some-length-that-fills-the-journal-0", "POSIX_WRITES") == 1
