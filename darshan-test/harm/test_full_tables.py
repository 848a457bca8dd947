"""If objects exceed a table of the runtime, they are still counted, or the log has the number of
dropped events."""

from __future__ import annotations

import resource
import shutil
import sys
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import SHARED, compile_c
from lab.log import metadata_of
from place import absent

LACKS = b"the runtime dropped some calls"

AIO = r"""
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
enum { N = 20000, BYTES = 64 };
static char text[BYTES];
int main(void) {
  struct aiocb *request = calloc(N, sizeof(*request));
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < N; i++) {
    request[i].aio_fildes = fd;
    request[i].aio_buf = text;
    request[i].aio_nbytes = BYTES;
    request[i].aio_offset = (off_t)i * BYTES;
    if (aio_write(&request[i])) return 2;
  }
  for (int i = 0; i < N; i++) {
    const struct aiocb *one[] = {&request[i]};
    while (aio_error(&request[i]) == EINPROGRESS) aio_suspend(one, 1, 0);
    if (aio_return(&request[i]) != BYTES) return 3;
  }
  return 0;
}
"""

STREAMS = r"""
#include <stdio.h>
enum { N = 16500 };
int main(void) {
  for (int i = 0; i < N; i++) {
    FILE *file = fopen("data", "a");
    if (!file || fputc('x', file) == EOF) return 2;
  }
  return 0;
}
"""

COOKIES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
enum { N = 300 };
static ssize_t put(void *where, const char *text, size_t n) {
  (void)text;
  return where ? (ssize_t)n : 0;
}
int main(void) {
  for (int i = 0; i < N; i++) {
    FILE *file = fopencookie("x", "w", (cookie_io_functions_t){.write = put});
    if (!file || fputc('x', file) == EOF) return 2;
  }
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  return write(fd, "x", 1) != 1;
}
"""

MAPPINGS = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
enum { N = 5000, BYTES = 8192 };
int main(void) {
  int fd = open("data", O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, BYTES)) return 2;
  for (int i = 0; i < N; i++)
    if (mmap(NULL, BYTES, PROT_READ, i % 2 ? MAP_SHARED : MAP_PRIVATE, fd, 0) == MAP_FAILED)
      return 3;
  return 0;
}
"""

DATASETS = """
import h5py
import sys
with h5py.File('data.h5', 'w') as file:
    one = file.create_dataset('d', data=[1, 2, 3])
    kept = [file['d'] for _ in range(int(sys.argv[1]))]
    assert len({d.id.id for d in kept}) == len(kept)
"""


FOLDERS = r"""
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
enum { N = 5000 };
static int list(int i) {
  char name[32];
  snprintf(name, sizeof(name), "folder%d", i);
  mkdir(name, 0700);
  DIR *folder = opendir(name);
  while (folder && readdir(folder)) continue;
  return folder ? closedir(folder) : 1;
}
int main(void) {
  for (int i = 0; i < 2 * N; i++)
    if (list(i % N)) return 2;
  return 0;
}
"""

ALIGNMENTS = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
enum { N = 200 };
int main(void) {
  for (int i = 0; i < 2 * N; i++) {
    char name[32];
    snprintf(name, sizeof(name), "folder%d", i % N);
    mkdir(name, 0700);
    snprintf(name, sizeof(name), "folder%d/data", i % N);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    if (write(fd, "1234567", 7) != 7 || close(fd)) return 2;
  }
  return 0;
}
"""

HANDLERS = r"""
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
enum { N = 400 };
static int fd;
#define EACH(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define ONE(n) \
  static void handler##n(int signal) { \
    (void)signal; \
    if (write(fd, "x", 1) != 1) _exit(9); \
  }
#define TEN(n) EACH(ONE, n)
#define NAME(n) handler##n,
#define NAMES(n) EACH_NAME(n)
#define EACH_NAME(n) NAME(n##0) NAME(n##1) NAME(n##2) NAME(n##3) NAME(n##4) NAME(n##5) NAME(n##6) \
  NAME(n##7) NAME(n##8) NAME(n##9)
#define TENS(x) x(10) x(11) x(12) x(13) x(14) x(15) x(16) x(17) x(18) x(19) x(20) x(21) x(22) \
  x(23) x(24) x(25) x(26) x(27) x(28) x(29) x(30) x(31) x(32) x(33) x(34) x(35) x(36) x(37) x(38) \
  x(39) x(40) x(41) x(42) x(43) x(44) x(45) x(46) x(47) x(48) x(49)
TENS(TEN)
static void (*const all[N])(int) = {TENS(NAMES)};
int main(void) {
  fd = open("data", O_WRONLY | O_CREAT, 0600);
  for (int i = 0; i < N; i++) {
    struct sigaction new, old;
    memset(&new, 0, sizeof(new));
    new.sa_handler = all[i];
    if (sigaction(SIGUSR1, &new, NULL) || raise(SIGUSR1)) return 2;
    if (sigaction(SIGUSR1, NULL, &old) || old.sa_handler != all[i]) return 3;
  }
  return 0;
}
"""

# Each thread waits in the call until another process opens the other end of its pipe.
WAITING_OPENS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
enum { N = 1100, STACK = 65536 };
static void *wait_for(void *at) {
  char name[32];
  snprintf(name, sizeof(name), "pipe%d", (int)(long)at);
  int fd = open(name, O_RDONLY);
  char text[8];
  return (void *)(long)(fd < 0 || read(fd, text, sizeof(text)) != 1);
}
int main(void) {
  static pthread_t threads[N];
  struct rlimit files = {2 * N, 2 * N};
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK);
  if (setrlimit(RLIMIT_NOFILE, &files)) return 5;
  char name[32];
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof(name), "pipe%d", i);
    if (mkfifo(name, 0600)) return 2;
    if (pthread_create(&threads[i], &small, wait_for, (void *)(long)i)) return 3;
  }
  sleep(1);
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof(name), "pipe%d", i);
    int fd = open(name, O_WRONLY);
    void *failed;
    if (fd < 0 || write(fd, "x", 1) != 1 || pthread_join(threads[i], &failed) || failed) return 4;
    close(fd);
  }
  return 0;
}
"""

DEEPBIND = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
enum { N = 300 };
int main(void) {
  char name[64];
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof(name), "./libplugin%d.so", i);
    if (!dlopen(name, RTLD_NOW | RTLD_DEEPBIND)) return 2;
  }
  return 0;
}
"""

HANDED_ON = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { N = 40 };
int main(int argc, char **argv) {
  char name[32];
  if (argc > 1) {
    for (int fd = atoi(argv[1]); fd < atoi(argv[1]) + N; fd++)
      if (write(fd, "12345", 5) != 5) return 2;
    return 0;
  }
  int first = 0;
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof(name), "file%d", i);
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    if (i == 0) first = fd;
    if (fd != first + i) return 3;
  }
  snprintf(name, sizeof(name), "%d", first);
  execl("/proc/self/exe", argv[0], name, (char *)0);
  return 4;
}
"""

SCANS = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { N = 50, LINES = 2000 };
static pthread_barrier_t all;
static void *scan(void *at) {
  char name[32];
  snprintf(name, sizeof(name), "numbers%d", (int)(long)at);
  FILE *file = fopen(name, "w");
  for (int i = 0; i < LINES; i++) fprintf(file, "%07d\n", i);
  fclose(file);
  pthread_barrier_wait(&all);
  file = fopen(name, "r");
  int value, sum = 0;
  while (fscanf(file, "%d", &value) == 1) sum++;
  fclose(file);
  return (void *)(long)(sum != LINES);
}
int main(void) {
  pthread_t threads[N];
  pthread_barrier_init(&all, NULL, N);
  for (long i = 0; i < N; i++) pthread_create(&threads[i], NULL, scan, (void *)i);
  for (int i = 0; i < N; i++) {
    void *failed;
    if (pthread_join(threads[i], &failed) || failed) return 2;
  }
  return 0;
}
"""

# Looks 20 times for a missing file in each of 300 folders, in rounds over all folders.
MISSED = r"""
#include <stdio.h>
#include <unistd.h>
enum { FOLDERS = 300, TIMES = 20 };
int main(void) {
  char name[32];
  for (int i = 0; i < FOLDERS; i++)
    for (int j = 0; j < TIMES; j++) {
      snprintf(name, sizeof(name), "folder%d/%d", i, j);
      if (access(name, F_OK) == 0) return 2;
    }
  return 0;
}
"""

TREES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
enum { N = 300 };
int main(void) {
  char name[64];
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof(name), "app%d", i);
    mkdir(name, 0700);
    snprintf(name, sizeof(name), "app%d/node_modules", i);
    mkdir(name, 0700);
    for (int j = 0; j < 2; j++) {
      snprintf(name, sizeof(name), "app%d/node_modules/%d.js", i, j);
      int fd = open(name, O_WRONLY | O_CREAT, 0600);
      if (write(fd, "12345", 5) != 5 || close(fd)) return 2;
    }
  }
  return 0;
}
"""


@pytest.fixture
def many_descriptors() -> None:
    """Raises this process's limit of open descriptors above 16,384, the number of streams that the
    runtime can follow. Skips the test if the hard limit is too low."""
    least = 17000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < least:
        absent(f"a process may open {hard} files at most")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))


def test_posix_requests(build: Path, tmp_path: Path) -> None:
    """The number of POSIX AIO requests in progress has no limit."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, AIO)])
    assert same_end(bare, watched)
    assert watched.value("data", "POSIX_EXT_AIO_SUBMITS") == 20000
    assert watched.value("data", "POSIX_WRITES") == 20000
    assert watched.value("data", "POSIX_BYTES_WRITTEN") == 20000 * 64
    assert watched.value("data", "POSIX_MAX_BYTE_WRITTEN") == 20000 * 64 - 1


@pytest.mark.usefixtures("many_descriptors")
def test_streams(build: Path, tmp_path: Path) -> None:
    """The runtime follows 16,384 streams at a time; the log has the number of further ones."""
    _, watched = both(build, tmp_path, [compile_c(tmp_path, STREAMS)])
    followed = 16384 - 3  # three slots are the standard streams
    assert watched.status == 0
    assert watched.value("data", "STDIO_OPENS") == followed
    assert metadata_of(build / "darshan-parser", watched.logs[0])["dropped_for_full_tables"] == str(
        16500 - followed
    )
    assert LACKS in watched.stderr


def test_mappings(build: Path, tmp_path: Path) -> None:
    """The runtime knows 4,096 mappings of files at a time. It does not measure how much of any
    further mapping the program used: its whole size is counted as unmeasured."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, MAPPINGS)])
    assert same_end(bare, watched)
    assert watched.value("data", "POSIX_EXT_MMAP_BYTES") == 5000 * 8192
    # These, and mappings that a slow machine could not inspect within 2 ms.
    assert watched.value("data", "POSIX_EXT_MMAP_UNMEASURED") >= (5000 - 4096) * 8192


def test_cookies(build: Path, tmp_path: Path) -> None:
    """At exit, the runtime flushes 256 streams with functions of the program; the log has the
    number of further ones."""
    _, watched = both(build, tmp_path, [compile_c(tmp_path, COOKIES)])
    assert watched.status == 0
    assert metadata_of(build / "darshan-parser", watched.logs[0])["dropped_for_full_tables"] == str(
        300 - 256
    )


def test_datasets(build: Path, tmp_path: Path) -> None:
    """The runtime knows 16,384 HDF5 ids at a time: here that of the file and those of the first
    datasets."""
    _, watched = both(build, tmp_path, [sys.executable, "-c", DATASETS, "16400"])
    assert watched.status == 0
    assert metadata_of(build / "darshan-parser", watched.logs[0])["dropped_for_full_tables"] == str(
        16400 + 2 - 16384
    )


def test_listed_folders(build: Path, tmp_path: Path) -> None:
    """The runtime remembers 4,096 listed folders; beyond, DIR_REOPENS is a lower bound."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, FOLDERS)])
    assert same_end(bare, watched)
    assert watched.total("POSIX_EXT_DIR_OPENS") == 2 * 5000
    assert watched.total("POSIX_EXT_MKDIRS") == 5000
    assert 0 < watched.total("POSIX_EXT_DIR_REOPENS") <= 5000


def test_alignments(build: Path, tmp_path: Path) -> None:
    """The runtime remembers the alignment of 64 folders, and queries it again for further ones."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, ALIGNMENTS)])
    assert same_end(bare, watched)
    for number in range(200):
        name = f"folder{number}/data"
        assert watched.value(name, "POSIX_OPENS") == 2
        assert watched.value(name, "POSIX_BYTES_WRITTEN") == 14
        assert watched.value(name, "POSIX_FILE_ALIGNMENT") == watched.value(
            "folder0/data", "POSIX_FILE_ALIGNMENT"
        )


def test_path_buffers(build: Path, tmp_path: Path) -> None:
    """A call that waits in the kernel holds no path buffer, so 1,100 simultaneous calls keep their
    names."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, WAITING_OPENS)])
    assert same_end(bare, watched)
    assert watched.total("POSIX_OPENS") == 2 * 1100
    assert watched.total("POSIX_BYTES_WRITTEN") == 1100
    assert watched.value("<overflow>", "POSIX_OPENS") == 0


def test_names_handed_on(build: Path, tmp_path: Path) -> None:
    """The names of 16 open files are passed on at exec; the next program asks the kernel for the
    names of further ones."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, HANDED_ON)])
    assert same_end(bare, watched)
    for number in range(40):
        assert watched.value(f"file{number}", "POSIX_BYTES_WRITTEN") == 5


def test_libraries_by_deepbind(build: Path, tmp_path: Path) -> None:
    """The log has the number of libraries that were opened with RTLD_DEEPBIND, up to 256; all
    libraries are opened."""
    plugin = compile_c(tmp_path, "int plugin;", *SHARED, name="libplugin.so")

    def copies(work: Path) -> None:
        for number in range(300):
            shutil.copy(plugin, work / f"libplugin{number}.so")

    bare, watched = both(build, tmp_path, [compile_c(tmp_path, DEEPBIND)], setup=copies)
    assert same_end(bare, watched)
    (log,) = watched.logs
    assert metadata_of(build / "darshan-parser", log)["dropped_by_deepbind"] == "256"


def test_scanned_streams(build: Path, tmp_path: Path) -> None:
    """32 simultaneous fscanf calls are measured by a mark in their stream; every byte of further
    ones is counted, too."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, SCANS)])
    assert same_end(bare, watched)
    for number in range(50):
        assert watched.value(f"numbers{number}", "STDIO_BYTES_READ") == 2000 * 8


def test_handlers(build: Path, tmp_path: Path) -> None:
    """128 signal handlers get a signal trampoline each. A further handler is installed without one:
    its writes are counted all the same, and sigaction returns it as the program installed it."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, HANDLERS)])
    assert same_end(bare, watched)
    assert watched.value("data", "POSIX_WRITES") == 400


def test_folders_of_failed_lookups(build: Path, tmp_path: Path) -> None:
    """Up to 64 folders with many failed look-ups have their own records; failures in further
    folders are counted in the record of other paths."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, MISSED)])
    assert same_end(bare, watched)
    misses = {
        name: row["POSIX_EXT_MISSES"]
        for (module, name), row in watched.records.items()
        if module == "POSIX_EXT" and row["POSIX_EXT_MISSES"]
    }
    folders = [name for name in misses if "/folder" in name]
    assert 32 < len(folders) <= 64
    assert all(misses[name] == 20 for name in folders)
    assert sum(misses.values()) == 300 * 20


def test_trees_of_program_files(build: Path, tmp_path: Path) -> None:
    """256 trees of program files share one record each; files of further trees have their own
    records."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, TREES)])
    assert same_end(bare, watched)
    of_kind = [
        row["GROUP_KIND"] for (module, _), row in watched.records.items() if module == "GROUP"
    ]
    assert of_kind == [1] * 256
    assert watched.total("POSIX_OPENS") == 600
    assert watched.total("POSIX_BYTES_WRITTEN") == 600 * 5
    own = [name for (module, name) in watched.records if module == "POSIX" and ".js" in name]
    assert len(own) == 2 * (300 - 256)
