"""The log's records of calls of every MPI-IO function, with each MPI, equal those of the model."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
from mpi.launch import MPIS, Runner
from place import absent

from .model import KINDS, File
from .observe import Row, Seen, run

RUNTIME = Path(__file__).resolve().parents[2] / "runtime" / "modules" / "mpiio"
# A row of the runtime's table; the group is the function.
ROW = re.compile(r"^[A-Z_]+\((MPI_\w+),", re.M)
# The operations of LAYERS records, and the layers below them.
OPERATIONS = ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
BELOW = ("POSIX", "STDIO", "MPIIO", "COMM")
# Seconds by which times may differ: timestamps are rounded to a microsecond, and printed with six
# digits.
ROUNDING = 3e-6
# Counters that only a reduction over ranks sets.
JOINED = re.compile(r"(FASTEST|SLOWEST)_RANK")


@pytest.fixture(scope="session")
def jobs() -> dict[tuple[str, int], Seen]:
    """Returns an empty dictionary, in which the tests keep the jobs that have run."""
    return {}


@pytest.fixture(params=[1, 4], ids=lambda ranks: f"{ranks}-ranks")
def seen(request: pytest.FixtureRequest, runner: Runner, jobs: dict[tuple[str, int], Seen]) -> Seen:
    """Returns the records of a job with this many ranks, which runs once for all tests, and the
    expected records."""
    key = (runner.mpi.name, request.param)
    if key not in jobs:
        jobs[key] = run(runner, request.param, {})
    return jobs[key]


def integers(row: Row) -> dict[str, int]:
    """Returns the integer counters of a record that are not 0 and that the model computes."""
    return {
        name: int(value)
        for name, value in row.items()
        if value
        and not name.startswith("F_")
        and not JOINED.search(name)
        and not name.endswith("_TIME_SIZE")
    }


def check_slowest(file: File, row: Row) -> None:
    """Checks that the recorded size of the slowest transfer is the size of one of the file's
    transfers, or 0 if there is none."""
    for writes, kind in enumerate(KINDS):
        slowest = row[f"MAX_{kind}_TIME_SIZE"]
        assert slowest in (file.asked[writes] or [0])


def check_times(file: File, row: Row) -> None:
    """Checks that a record has times for exactly the operations that happened on the file, and that
    the times are in order."""
    for writes, kind in enumerate(KINDS):
        did = bool(file.asked[writes])
        start, end = row[f"F_{kind}_START_TIMESTAMP"], row[f"F_{kind}_END_TIMESTAMP"]
        assert (start > 0) == (end > 0) == did
        assert start <= end
        assert row[f"F_MAX_{kind}_TIME"] <= row[f"F_{kind}_TIME"] + ROUNDING
        if not (writes and file.base["SYNCS"]):
            assert row[f"F_{kind}_TIME"] <= end - start + ROUNDING
    assert 0 < row["F_OPEN_START_TIMESTAMP"] <= row["F_OPEN_END_TIMESTAMP"]
    assert row["F_OPEN_END_TIMESTAMP"] <= row["F_CLOSE_END_TIMESTAMP"]
    assert row["F_META_TIME"] > 0


def test_counters(seen: Seen) -> None:
    """Every integer counter of every MPI-IO record of every rank equals the model's; a counter that
    the model does not compute is 0."""
    compared, named = 0, set()
    for rank, trace in enumerate(seen.traces):
        for name, file in trace.files.items():
            named.add((rank, name))
            row = seen.modules["MPI-IO"].get((rank, name), {})
            assert bool(row) == file.opened, name
            assert integers(row) == file.counters(), (rank, name)
            ext = seen.modules["MPIIO_EXT"].get((rank, name), {})
            assert integers(ext) == {k: v for k, v in file.ext.items() if v}, (rank, name)
            if row:
                check_slowest(file, row)
                check_times(file, row)
                compared += 1
    assert compared > 40 * len(seen.traces)
    assert named >= {*seen.modules["MPI-IO"], *seen.modules["MPIIO_EXT"]}


def test_late_ends(seen: Seen) -> None:
    """MPIIO_EXT records have completion times and durations for exactly those kinds of transfers,
    non-blocking or split, of which some were completed, and a waiting time if there were waits."""
    for (rank, name), ext in seen.modules["MPIIO_EXT"].items():
        base = seen.modules["MPI-IO"].get((rank, name))
        for kind in KINDS:
            split = bool(base and base[f"SPLIT_{kind}S"])
            late = split or bool(base and base[f"NB_{kind}S"] and ext[f"{kind}S_DONE"])
            assert (ext[f"F_{kind}_DONE_TIMESTAMP"] > 0) == late, name
            assert (ext[f"F_SPLIT_{kind}_TIME"] > 0) == split, name
            assert ext[f"F_SPLIT_{kind}_END_TIME"] <= ext[f"F_SPLIT_{kind}_TIME"] + ROUNDING
            assert (ext[f"F_NB_{kind}_TIME"] > 0) == (late and not split), name
        assert (ext["F_NB_WAIT_TIME"] > 0) == (ext["NB_WAITS"] > 0)


def test_layers(seen: Seen) -> None:
    """Each POSIX and MPI-IO operation of the job is in exactly one LAYERS record, and the times of
    the layers add up."""
    sums: Row = defaultdict(float)
    for (_, name), row in seen.modules["LAYERS"].items():
        for operation in OPERATIONS:
            for counter in (
                "POSIX_READS",
                "POSIX_WRITES",
                "POSIX_BYTES_READ",
                "POSIX_BYTES_WRITTEN",
                "MPIIO_BYTES_READ",
                "MPIIO_BYTES_WRITTEN",
            ):
                sums[counter] += row[f"{operation}_{counter}"]
            parts = [row[f"F_{operation}_{layer}_TIME"] for layer in BELOW]
            assert min(parts) >= 0, (name, operation)
            # No layer is above MPI-IO, so no time remains.
            whole = row[f"F_{operation}_TIME"]
            slack = ROUNDING * (1 + row[f"{operation}_CALLS"] / 100)
            assert abs(whole - sum(parts)) <= slack, (name, operation)
        if name != "<application>":
            assert row["UPPER_MODULE"] == 2
        for kind in KINDS:
            sized = sum(v for k, v in row.items() if k.startswith(f"SIZE_MPIIO_{kind}_"))
            sums[f"SIZED_{kind}"] += sized
    for module, prefix in (("POSIX", "POSIX_"), ("MPI-IO", "MPIIO_")):
        for counter in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
            if module == "MPI-IO" and not counter.startswith("BYTES"):
                continue
            total = sum(row[counter] for row in seen.modules[module].values())
            assert sums[prefix + counter] == total > 0, (module, counter)
    for kind in KINDS:
        assert sums[f"SIZED_{kind}"] == sum(
            row[f"{how}_{kind}S"]
            for row in seen.modules["MPI-IO"].values()
            for how in ("INDEP", "COLL", "SPLIT", "NB")
        )


def test_every_row_has_a_case(
    mpi_programs: Path, build: Path, parser: Path, tmp_path: Path
) -> None:
    """The test program calls exactly the MPI-IO functions in the runtime's tables."""
    found = [mpi for mpi in MPIS if mpi.installed]
    if not found:
        absent("no MPI is installed")
    wrapped = {
        name
        for table in ("calls.def", "waits.def")
        for name in ROW.findall((RUNTIME / table).read_text())
    }
    called = set()
    for mpi in found:
        folder = tmp_path / mpi.name
        folder.mkdir()
        runner = Runner(mpi, build / "libdarshan.so", parser, mpi_programs, folder)
        called |= run(runner, 1, {}).traces[0].covered
    large = {name for name in wrapped if name.endswith("_c")}
    # Only libraries of MPI 4 have the functions for large counts.
    assert called in (wrapped, wrapped - large)
    assert "mpich" not in [mpi.name for mpi in found] or called == wrapped
