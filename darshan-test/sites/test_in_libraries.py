"""Programs that spend their time in a library, between its calls or in its filters: their findings,
and the output of `darshan stat`. Programs that give a library much data at once have no such
findings."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from lab.command import finished

from .blamed import Blamed
from .test_blamed import findings, start
from .where import SECONDS, Where, line_of

_GROUPS = """
import numpy
import pyarrow
import pyarrow.parquet
table = pyarrow.table({name: numpy.random.default_rng(1).random(ROWS) for name in "abcd"})
with pyarrow.parquet.ParquetWriter("events.parquet", table.schema) as writer:
    for n in range(CALLS):
        writer.write_table(table)  # here
"""
_RECORDS = """program gather
  implicit none
  integer, parameter :: n = 1500
  real(8), save :: field(n, n)
  integer :: unit, i, j
  field = 1
  open(newunit=unit, file='field.da', access='direct', recl=LENGTH, form='unformatted')
  do j = 1, n
    do i = 1, n, STEP
      write(unit, rec=(j - 1) * (n / STEP) + i) field(i:i+STEP-1, j)  ! here
    end do
  end do
  close(unit)
end program
"""
# A simulation that computes before each write of a whole array.
_STEPS = """program steps
  implicit none
  integer :: step, i
  real(8) :: field(5000) = 1
  open(10, file='steps.bin', access='stream', form='unformatted')
  do step = 1, 100
    do i = 1, 240
      field = sin(field + 0.5d0)
    end do
    write(10) field
  end do
end program
"""
_PACKED = """
import h5py
import numpy
frames = numpy.random.default_rng(1).poisson(30, (5, 256, 512)).astype("u2")
with h5py.File("frames.h5", "w") as file:
    data = file.create_dataset("frames", frames.shape, "u2", chunks=(1, 256, 512),
                               compression="gzip", compression_opts=LEVEL, shuffle=SHUFFLE)
    for n in range(5):
        data[n] = frames[n]  # here
"""
_COLUMNS = """
import sys
import numpy
import pandas
if len(sys.argv) > 1:
    pandas.DataFrame(numpy.random.default_rng(1).random((60000, 150))).rename(columns=str) \\
        .to_parquet("wide.parquet", compression=None)
else:
    table = pandas.read_parquet("wide.parquet")  # here
    print(sum(float(table["7"].sum()) for n in range(3000)))
"""
_MAPPED = """
import numpy
numpy.zeros((2000, 1000), "f4").tofile("matrix")
matrix = numpy.memmap("matrix", "f4", "r", shape=(2000, 1000))
print(sum(float((matrix[:, n] ** 2).sum()) for n in range(1000) for _ in range(20)))
"""


def _fitted(source: str, **values: object) -> str:
    """Returns the source with these values in place of their names."""
    for name, value in values.items():
        source = source.replace(name, str(value))
    return source


SLOW = (
    Blamed("groups", "py", "row-groups", _fitted(_GROUPS, ROWS=60, CALLS=1500)),
    Blamed("records", "f90", "between-calls-records", _fitted(_RECORDS, LENGTH=8, STEP=1)),
    Blamed("packed", "py", "slow-compression", _fitted(_PACKED, LEVEL=9, SHUFFLE=False)),
)
SOUND = (
    Blamed("groups", "py", "", _fitted(_GROUPS, ROWS=60_000, CALLS=4)),
    Blamed("records", "f90", "", _fitted(_RECORDS, LENGTH=12_000, STEP=1500)),
    Blamed("steps", "f90", "", _STEPS),
)
_NAMES = tuple(blamed.diagnosis for blamed in SLOW)


@pytest.mark.parametrize("blamed", SLOW, ids=lambda blamed: blamed.name)
def test_slow(blamed: Blamed, where: Where) -> None:
    """The finding about the library has the program's line, a potential saving and a remedy with an
    example."""
    source = start(where, blamed)
    told = {finding["name"]: finding for finding in findings(where)}
    assert blamed.diagnosis in told, list(told)
    finding = told[blamed.diagnosis]
    assert 0.01 < finding["stake"]["run_seconds"] / finding["stake"]["of_run_seconds"] <= 1
    assert finding["remedy"]["example"]
    place = finding["line"]["place"]
    assert (place["file"], place["line"]) == (str(source), line_of(blamed.source, "here"))


@pytest.mark.parametrize("blamed", SOUND, ids=lambda blamed: blamed.name)
def test_sound(blamed: Blamed, where: Where) -> None:
    """A program that gives the library much data at once has no such finding."""
    start(where, blamed)
    done = finished(
        [where.program.build / "darshan", "report", "--json", "-o", "-", where.log], timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    names = [finding["name"] for finding in json.loads(done.stdout)["findings"]]
    assert names and not [name for name in names if name.startswith(_NAMES)]


def _said(where: Where) -> str:
    """Returns the output of `darshan stat` for the only log."""
    done = finished([where.program.build / "darshan", "stat", "-r", where.log], timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_all_columns(where: Where) -> None:
    """A program that loads a whole table gets a hint in `darshan stat` about loading some columns
    only, because the log does not show whether it uses all."""
    source = where.folder / "columns.py"
    source.write_text(_COLUMNS)
    (where.folder / "work").mkdir()
    command = (sys.executable, source)
    subprocess.run([*command, "make"], cwd=where.folder / "work", timeout=SECONDS, check=True)
    where.program.start(*command)
    said = _said(where)
    assert "? Tables are read with all their columns" in said
    assert f"columns.py:{line_of(_COLUMNS, 'here')}" in said


def test_mapped(where: Where) -> None:
    """The time that accesses to a mapped file take is unknown: `darshan stat` says this, and not
    that the I/O has no problem."""
    start(where, Blamed("mapped", "py", "", _MAPPED))
    said = _said(where)
    assert "how long mapped files took is unknown" in said and "Your I/O is fine" not in said
