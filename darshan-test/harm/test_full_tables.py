"""Objects that exceed a table of the runtime are counted, or the log counts the dropped events."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
from hostile import both, compile_c, metadata, same_end
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


@pytest.fixture
def many_descriptors() -> None:
    """Allows more descriptors than the streams that the runtime can follow."""
    least = 17000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < least:
        absent(f"a process may open {hard} files at most")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))


def test_posix_requests(build: Path, tmp_path: Path) -> None:
    """The number of POSIX AIO requests in flight has no limit."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, AIO)])
    same_end(bare, watched)
    assert watched.value("data", "POSIX_EXT_AIO_SUBMITS") == 20000
    assert watched.value("data", "POSIX_WRITES") == 20000
    assert watched.value("data", "POSIX_BYTES_WRITTEN") == 20000 * 64
    assert watched.value("data", "POSIX_MAX_BYTE_WRITTEN") == 20000 * 64 - 1


@pytest.mark.usefixtures("many_descriptors")
def test_streams(build: Path, tmp_path: Path) -> None:
    """The runtime follows 16,384 streams at a time; the log counts the others."""
    _, watched = both(build, tmp_path, [compile_c(tmp_path, STREAMS)])
    followed = 16384 - 3  # three slots are the standard streams
    assert watched.status == 0
    assert watched.value("data", "STDIO_OPENS") == followed
    assert metadata(build, watched.logs[0])["dropped_for_full_tables"] == str(16500 - followed)
    assert LACKS in watched.stderr


def test_mappings(build: Path, tmp_path: Path) -> None:
    """The runtime knows 4,096 mappings at a time; it does not measure the bytes of the others."""
    bare, watched = both(build, tmp_path, [compile_c(tmp_path, MAPPINGS)])
    same_end(bare, watched)
    assert watched.value("data", "POSIX_EXT_MMAP_BYTES") == 5000 * 8192
    # These, and mappings that a slow machine could not inspect within 2 ms.
    assert watched.value("data", "POSIX_EXT_MMAP_UNMEASURED") >= (5000 - 4096) * 8192


def test_cookies(build: Path, tmp_path: Path) -> None:
    """The runtime flushes 256 streams with functions of the program at exit; the log counts the
    others."""
    _, watched = both(build, tmp_path, [compile_c(tmp_path, COOKIES)])
    assert watched.status == 0
    assert metadata(build, watched.logs[0])["dropped_for_full_tables"] == str(300 - 256)


def test_datasets(build: Path, tmp_path: Path) -> None:
    """The runtime knows 16,384 HDF5 ids at a time: those of the file, the first dataset and the
    others."""
    _, watched = both(build, tmp_path, [sys.executable, "-c", DATASETS, "16400"])
    assert watched.status == 0
    assert metadata(build, watched.logs[0])["dropped_for_full_tables"] == str(16400 + 2 - 16384)
