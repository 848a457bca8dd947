"""For HDF5 over MPI-IO over POSIX, every call is in exactly one LAYERS record, and the times add
up."""

from __future__ import annotations

import pytest
from mpi.launch import Runner
from place import needs

from .observe import HERE, YIELDING, Row, Seen, read_rows
from .test_counters import BELOW, OPERATIONS, ROUNDING

BYTES = 8 * 1024 * 8  # of one rank in each dataset
# The compiler's options for the parallel HDF5; {0} is the MPI.
FOLDERS = ("-I/usr/include/hdf5/{0}", "-L/usr/lib/x86_64-linux-gnu/hdf5/{0}")


@pytest.fixture(params=[1, 4], ids=lambda ranks: f"{ranks}-ranks")
def seen(request: pytest.FixtureRequest, runner: Runner) -> Seen:
    """Runs parallel.c with this many ranks. Returns the records of its log. Skips the test without
    HDF5 for this MPI."""
    needs(f"hdf5:{runner.mpi.name}")
    options = [option.format(runner.mpi.name) for option in FOLDERS]
    program = runner.build(
        str(HERE / "parallel.c"), *options, "-Wl,--no-as-needed", f"-lhdf5_{runner.mpi.name}"
    )
    folder = runner.folder / "files"
    folder.mkdir()
    settings = {"DARSHAN_DISABLE_SHARED_REDUCTION": "1", **YIELDING}
    job = runner.run(request.param, [str(program), str(folder)], settings)
    assert (job.code, job.error) == (0, "")
    seen = Seen([], logs=job.logs)
    for log in job.logs:
        read_rows(runner.parser, log, seen)
    return seen


def total(rows: dict[tuple[int, str], Row], *counters: str) -> float:
    """Returns the sum of these counters over all records."""
    return sum(row[counter] for row in rows.values() for counter in counters)


def below(seen: Seen, what: str) -> float:
    """Returns the sum of a kind of calls or bytes over all operations of all LAYERS records. what:
    the kind, such as POSIX_READS."""
    return total(seen.modules["LAYERS"], *(f"{o}_{what}" for o in OPERATIONS))


def test_adds_up(seen: Seen) -> None:
    """The POSIX and MPI-IO calls and bytes in LAYERS records add up to the totals of POSIX and of
    MPI-IO, to the byte."""
    posix, mpiio = seen.modules["POSIX"], seen.modules["MPI-IO"]
    for what in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
        assert below(seen, f"POSIX_{what}") == total(posix, what) > 0
    for what in ("BYTES_READ", "BYTES_WRITTEN"):
        assert below(seen, f"MPIIO_{what}") == total(mpiio, what) > 0
    for kind in ("READ", "WRITE"):
        sized = sum(
            value
            for row in seen.modules["LAYERS"].values()
            for name, value in row.items()
            if name.startswith(f"SIZE_MPIIO_{kind}_")
        )
        assert sized == total(mpiio, f"INDEP_{kind}S", f"COLL_{kind}S")


def test_layers_are_nested(seen: Seen) -> None:
    """MPI-IO calls that HDF5 makes are attributed to the dataset only, those of the program to its
    file; the times of lower layers are within those of upper ones."""
    layers = seen.modules["LAYERS"]
    for (_, name), row in layers.items():
        upper = 0
        if name != "<application>":
            upper = {"plain": 2, "a.h5": 3}.get(name, 4)  # otherwise a dataset
        assert row["UPPER_MODULE"] == upper, name
        for operation in OPERATIONS:
            parts = [row[f"F_{operation}_{layer}_TIME"] for layer in BELOW]
            whole = row[f"F_{operation}_TIME"]
            slack = ROUNDING * (5 + row[f"{operation}_CALLS"])
            assert min(parts) >= 0 and sum(parts) <= whole + slack, (name, operation)
            if upper == 2:
                assert abs(sum(parts) - whole) <= slack, (name, operation)
    for name in ("together", "apart"):
        for row in (row for (_, found), row in layers.items() if found == name):
            assert row["WRITE_MPIIO_BYTES_WRITTEN"] == row["READ_MPIIO_BYTES_READ"] == BYTES
            assert row["WRITE_MPIIO_CALLS"] > 0 and row["F_WRITE_MPIIO_TIME"] > 0
    plain = [row for (_, name), row in layers.items() if name == "plain"]
    assert {row["WRITE_MPIIO_BYTES_WRITTEN"] for row in plain} == {5000}


def test_hdf5_knows_of_mpiio(seen: Seen) -> None:
    """The H5F and H5D records show that the program uses HDF5's MPI-IO driver, and which dataset is
    transferred collectively."""
    files = [row for (_, name), row in seen.modules["H5F"].items() if name == "a.h5"]
    assert files and {row["USE_MPIIO"] for row in files} == {1}
    for name, collective in (("together", 1), ("apart", 0)):
        rows = [row for (_, found), row in seen.modules["H5D"].items() if found == name]
        assert rows and {row["USE_MPIIO_COLLECTIVE"] for row in rows} == {collective}
