"""Remedies for HDF5 other than the chunk cache help: no fill values, and no locks of files. They
are not tried where they could change data."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from lab.compile import SHARED, compile_c
from lab.environment import preload

from .conftest import Try

pytest.importorskip("h5py")

# Each write and each lock takes as long as on a busy file system. The delay is a busy loop, because
# the runtime would take a sleep for one of the program, which no finding counts as lost time.
SLOW = """
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
static void spin(double seconds) {
  struct timespec first, now;
  clock_gettime(CLOCK_MONOTONIC, &first);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec - first.tv_sec + 1e-9 * (now.tv_nsec - first.tv_nsec) < seconds);
}
ssize_t pwrite64(int fd, const void *from, size_t n, off_t at) {
  if (n > 1 << 16) spin(0.04);
  return syscall(SYS_pwrite64, fd, from, n, at);
}
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { return pwrite64(fd, from, n, at); }
ssize_t write(int fd, const void *from, size_t n) {
  if (n > 1 << 16) spin(0.04);
  return syscall(SYS_write, fd, from, n);
}
int flock(int fd, int how) { return spin(0.02), (int)syscall(SYS_flock, fd, how); }
"""
# HDF5 fills a dataset of 16 MiB when it is created; then the program writes it.
FILLED = """
#include <hdf5.h>
#include <stdlib.h>
int main(void) {
  hsize_t size = 1 << 22;
  int filler = 7, *room = calloc(size, sizeof *room);
  hid_t file = H5Fcreate("new.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_value(list, H5T_NATIVE_INT, &filler);
  H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
  hid_t set = H5Dcreate(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, room);
  return H5Dclose(set) < 0 || H5Fclose(file) < 0;
}
"""
# Writes half of a dataset, and one of three texts, whose lengths vary.
HALF = """
import h5py, numpy
with h5py.File("new.h5", "w") as file:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_fill_value(numpy.array(7, "i4"))
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple((1 << 22,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, space, plist)
    file["x"][: 1 << 21] = numpy.arange(1 << 21, dtype="i4")
    names = file.create_dataset("names", (3,), h5py.string_dtype())
    names[1] = "one"
with h5py.File("new.h5") as file:
    print(file["x"][: 1 << 21].sum(), file["names"][:])
"""
OPENS = """
#include <hdf5.h>
int main(void) {
  if (H5Fclose(H5Fcreate("new.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0) return 1;
  for (int n = 0; n < 15; n++)
    if (H5Fclose(H5Fopen("new.h5", H5F_ACC_RDONLY, H5P_DEFAULT)) < 0) return 2;
  return 0;
}
"""


@pytest.fixture
def slow(trial: Try) -> Try:
    """Returns the trial, with a preloaded library that makes programs wait for writes and locks."""
    trial.variables |= preload(compile_c(trial.user.parent, SLOW, *SHARED, name="slow.so"))
    return trial


def compiled(trial: Try, source: str) -> Path:
    """Compiles a C program with HDF5 in the user's folder. source: its text. Returns its path."""
    makefile = (trial.build / "Makefile").read_text()
    flags = [re.search(rf"^{n} = (.*)$", makefile, re.M) for n in ("HDF5_CPPFLAGS", "HDF5_LIBS")]
    return compile_c(trial.user, source, *(word for f in flags if f for word in f[1].split()))


@pytest.mark.needs("hdf5")
def test_fill_values(slow: Try) -> None:
    """The finding on fill values suggests the remedy fill-time. `darshan try` finds that this
    helps, and names the line to edit."""
    program = compiled(slow, FILLED)
    log = slow.log(program, clean=True)
    listed = slow.run("--list", log).stdout.split("\n")
    assert "Fill values" in listed[1 + [t.split(" ")[0] for t in listed].index("fill-time")]
    status, rows, whole = slow.found("--only", "fill-time", "--copy", ".", log, "--", program)
    row = rows["fill-time"]
    assert (status, row["result"]) == (0, "helped"), whole
    line = 1 + next(n for n, text in enumerate(FILLED.splitlines()) if "H5Dcreate" in text)
    assert any(t.startswith(f"program.c:{line} ") and "fill_time" in t for t in row["keep"]), row
    assert not (slow.user / "new.h5").exists()


def test_fill_values_that_stay(slow: Try) -> None:
    """The remedy fill-time is not tried if the log shows that the program leaves fill values in the
    dataset. If the user forces it, written values are right, and strings that were never written
    are empty."""
    (slow.user / "program.py").write_text(HALF)
    command = [sys.executable, "program.py"]
    status, rows, whole = slow.found("--only", "fill-time", "--copy", ".", "--", *command)
    assert (status, rows["fill-time"]["result"]) == (1, "not tried"), whole
    assert "the program writes 8.00 MiB of the 16.0 MiB that HDF5" in rows["fill-time"]["reason"]
    said = []
    for setting in ("", "fill-time=1"):
        slow.variables["DARSHAN_TRY"] = setting
        logs = str(slow.user.parent / "logs")
        words = [str(slow.build / "darshan"), "run", "-o", logs, "--", *command]
        said.append(slow.run_words(words).stdout)
    assert said[0] == said[1]
    assert "b'one'" in said[0]


@pytest.mark.needs("hdf5")
def test_file_locking(slow: Try) -> None:
    """For a program that opens a file often, the remedy file-locking helps, and the advice is an
    environment variable."""
    program = compiled(slow, OPENS)
    status, rows, whole = slow.found("--only", "file-locking", "--copy", ".", "--", program)
    row = rows["file-locking"]
    assert (status, row["result"]) == (0, "helped"), whole
    assert row["keep"] == ["export HDF5_USE_FILE_LOCKING=FALSE"]


def test_files_with_references(tmp_path: Path) -> None:
    """The comparison finds two HDF5 files equal whose datasets have different addresses, if their
    references lead to objects with the same names, as those of netCDF's dimensions do."""
    import h5py  # noqa: PLC0415 - without it the file is skipped
    from darshan_report.trial.comparing.values import same_values  # noqa: PLC0415

    def made(name: str, order: str, scale: str) -> str:
        path = str(tmp_path / name)
        with h5py.File(path, "w") as file:
            for one in order:
                file[one] = [1, 2, 3]
            file[scale].make_scale("axis")
            file["x"].dims[0].attach_scale(file[scale])
        return path

    first = made("first", "abx", "a")
    assert same_values([sys.executable], first, made("moved", "bxa", "a"))
    assert not same_values([sys.executable], first, made("other", "abx", "b"))
