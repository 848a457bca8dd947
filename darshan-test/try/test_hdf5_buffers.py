"""Remedies for HDF5's buffers: the sieve buffer, and the page buffer of files with paged
allocation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lab.compile import SHARED, compile_c
from lab.environment import preloading

from .conftest import Try

pytest.importorskip("h5py")

# Each read takes as long as on a busy file system: 0.3 ms, and 1 ms for each 64 KiB.
SLOW = """
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
ssize_t pread64(int fd, void *to, size_t n, off_t at) {
  struct timespec first, end;
  clock_gettime(CLOCK_MONOTONIC, &first);
  ssize_t done = syscall(SYS_pread64, fd, to, n, at);
  long nanoseconds = first.tv_nsec + 300000 + 15L * (long)n;
  end.tv_sec = first.tv_sec + nanoseconds / 1000000000;
  end.tv_nsec = nanoseconds % 1000000000;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
  return done;
}
ssize_t pread(int fd, void *to, size_t n, off_t at) { return pread64(fd, to, n, at); }
"""
# Makes a file with a dataset of rows, and files with many groups, of which one has pages.
MAKE = """
import h5py, numpy
with h5py.File("rows.h5", "w") as file:
    file["x"] = numpy.arange(2_000_000, dtype="f4").reshape(2000, 1000)
for name, strategy in (("pages.h5", "page"), ("plain.h5", None)):
    with h5py.File(name, "w", fs_strategy=strategy) as file:
        for n in range(400):
            file.create_group(f"g{n}").attrs["n"] = n
"""
# Reads half rows in a scattered order.
ROWS = """
import h5py
total = 0.0
with h5py.File("rows.h5") as file:
    x = file["x"]
    for n in range(500):
        total += float(x[n * 769 % 2000, :500].sum())
print(total)
"""
# Each column takes a part of every row, and 16 rows fill HDF5's own buffer.
COLUMNS = """
import h5py
with h5py.File("rows.h5") as file:
    print(sum(float(file["x"][:, n].sum()) for n in range(0, 1000, 50)))
"""
# Reads an attribute of each group.
GROUPS = """
import h5py
with h5py.File("pages.h5") as file:
    print(sum(int(group.attrs["n"]) for group in file.values()))
"""


@pytest.fixture
def field(trial: Try) -> Try:
    """Makes HDF5 files in the user's folder, and compiles a library that makes programs wait for
    reads. Returns the trial."""
    script(trial, MAKE, "make.py")
    trial.log(sys.executable, "make.py")
    compile_c(trial.user.parent, SLOW, *SHARED, name="slow.so")
    return trial


def script(trial: Try, text: str, name: str = "program.py") -> list[str]:
    """Writes a Python program into the user's folder. Returns its command, which preloads a library
    that delays reads below the runtime."""
    (trial.user / name).write_text(text)
    return preloading(trial.user.parent / "slow.so", [sys.executable, name])


@pytest.mark.needs("hdf5")
def test_a_small_sieve_buffer_helps(field: Try) -> None:
    """For scattered reads, the log's finding suggests a smaller sieve buffer, and it makes the
    program faster."""
    command = script(field, ROWS)
    log = field.log(*command)
    assert "for each small read" in field.run("--list", log).stdout
    status, rows, whole = field.found("--only", "sieve-buffer", "--copy", ".", log, "--", *command)
    row = rows["sieve-buffer"]
    # On a busy machine the interval may be too wide for "helped".
    assert row["ratio"] > 1.1 and row["result"] in ("helped", "no gain shown"), whole
    assert status == int(row["result"] != "helped")
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["bytes read"]["after"] < changes["bytes read"]["before"] / 4
    line = 1 + ROWS.splitlines().index('with h5py.File("rows.h5") as file:')
    assert any(f"program.py:{line} " in text and "4096" in text for text in row["keep"]), row


@pytest.mark.needs("hdf5")
def test_a_large_sieve_buffer_helps_columns(field: Try) -> None:
    """For a dataset that is read across its storage order, `darshan try` finds that a larger sieve
    buffer helps, which holds many rows. In this test each read takes the same time, whatever its
    size, as on a busy file system."""
    compile_c(field.user.parent, SLOW.replace("15L", "0L"), *SHARED, name="slow.so")
    command = script(field, COLUMNS)
    log = field.log(*command)
    assert "across its grain" in field.run("--list", log).stdout
    _, rows, whole = field.found("--only", "sieve-buffer", "--copy", ".", log, "--", *command)
    row = rows["sieve-buffer"]
    assert row["ratio"] > 1.1 and row["result"] in ("helped", "no gain shown"), whole
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["reads"]["after"] < changes["reads"]["before"] / 4
    assert any("fapl.set_sieve_buf_size(4194304)" in text for text in row["keep"]), row


@pytest.mark.needs("hdf5")
def test_no_sieve_buffer_for_reads_in_order(field: Try) -> None:
    """For rows that are read in their order, no size of the sieve buffer is tried, and the reason
    is given."""
    command = script(field, ROWS.replace("n * 769 % 2000", "n"))
    status, rows, _ = field.found("--only", "sieve-buffer", "--copy", ".", "--", *command)
    assert (status, rows["sieve-buffer"]["result"]) == (1, "not tried")
    assert "in vain" in rows["sieve-buffer"]["reason"]


@pytest.mark.needs("hdf5")
def test_a_page_buffer_helps_files_with_pages(field: Try) -> None:
    """For a file with pages and many groups, the page buffer makes the program faster, and the
    reads are less than a quarter."""
    command = script(field, GROUPS)
    status, rows, whole = field.found("--only", "page-buffer", "--copy", ".", "--", *command)
    row = rows["page-buffer"]
    assert row["ratio"] > 1.1 and row["result"] in ("helped", "no gain shown"), whole
    assert status == int(row["result"] != "helped")
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["reads"]["after"] < changes["reads"]["before"] / 4
    assert any("page_buf_size=67108864" in text for text in row["keep"]), row


@pytest.mark.needs("hdf5")
def test_what_the_program_set_stays(field: Try, tmp_path: Path) -> None:
    """The remedies change neither a page buffer that the program sets nor errors of files that
    cannot be opened. Files without pages get no page buffer, because HDF5 would not open them with
    one."""
    text = """
import h5py
with h5py.File("pages.h5", page_buf_size=1 << 20) as file:
    print(file.id.get_access_plist().get_page_buffer_size()[0] >> 20)
for mode in ("r", "r+"):
    with h5py.File("plain.h5", mode) as file:
        print(len(file))
try:
    h5py.File("missing.h5")
except OSError as problem:
    print(type(problem).__name__)
"""
    command = script(field, text)
    said = []
    for setting in ("", "page-buffer=65536;sieve-buffer=4096"):
        field.variables["DARSHAN_TRY"] = setting
        words = [str(field.build / "darshan"), "run", "-o", str(tmp_path / "logs"), "--", *command]
        said.append(field.run_words(words).stdout.splitlines()[:4])
    assert said[0] == said[1] == ["1", "400", "400", "FileNotFoundError"]
