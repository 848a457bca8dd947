"""Checks the results of the small study that do not depend on time, and that waiting for other
ranks is attributed to communication."""

from __future__ import annotations

from pathlib import Path

import pytest
from instrumented import Lab
from mesh_collective import MODES, VALUE, Measured, Mesh, Study, where_time_went
from mpi.launch import MPIS, Mpi
from mpirun import missing
from place import absent

MESH = Mesh(ranks=8, edge=12, parts=2, variables=3)
# Milliseconds by which the last rank comes late.
LATE = 300


@pytest.fixture(scope="module")
def lab(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Returns an object that runs programs of the build with and without the runtime. It overrides
    the fixture that requires the serial HDF5."""
    return Lab(build, tmp_path_factory.mktemp("mesh"))


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Returns each MPI in turn; skips the tests of one if it or its HDF5 is missing."""
    chosen: Mpi = request.param
    if lacking := missing(chosen, "hdf5"):
        absent(f"there is no {lacking}")
    return chosen


@pytest.fixture(scope="module")
def measured(lab: Lab, mpi: Mpi) -> dict[str, Measured]:
    """Writes the mesh in each mode without and with the runtime. Returns the results by mode."""
    study = Study(lab, mpi)
    return {mode: study.measure(MESH, mode) for mode in MODES}


def test_file_is_the_same(measured: dict[str, Measured]) -> None:
    """The runtime changes no byte of the file, and independent and collective writes leave the same
    file."""
    assert all(result.same for result in measured.values())
    assert len({result.digest for result in measured.values()}) == 1


@pytest.mark.parametrize("mode", MODES)
def test_what_was_asked(measured: dict[str, Measured], mode: str) -> None:
    """The H5D and H5F counters have the writes and bytes of the program in both modes.
    H5D_USE_MPIIO_COLLECTIVE is set only for collective writes."""
    datasets = measured[mode].counters["H5D"]
    assert datasets["WRITES"] == MESH.writes
    assert datasets["BYTES_WRITTEN"] == MESH.bytes
    assert datasets["USE_MPIIO_COLLECTIVE"] == (MESH.variables if mode == "collective" else 0)
    assert measured[mode].counters["H5F"]["USE_MPIIO"] == 1


def test_problem_writes_rows(measured: dict[str, Measured]) -> None:
    """With independent writes, the log has one MPI-IO and one POSIX write for every row of every
    part, and at most two further ones per rank, of metadata."""
    counters = measured["independent"].counters
    posix, mpiio = counters["POSIX"], counters["MPI-IO"]
    metadata = mpiio["INDEP_WRITES"] - MESH.rows
    assert 0 < metadata <= 2 * MESH.ranks
    assert posix["WRITES"] == mpiio["INDEP_WRITES"]
    assert mpiio["COLL_WRITES"] == 0
    row = MESH.edge * VALUE
    assert posix["ACCESS1_ACCESS"] == row
    assert MESH.rows <= posix["ACCESS1_COUNT"] <= MESH.rows + metadata
    assert posix["SIZE_WRITE_0_100"] + posix["SIZE_WRITE_100_1K"] >= MESH.rows
    assert posix["BYTES_WRITTEN"] == mpiio["BYTES_WRITTEN"] >= MESH.bytes


def test_cure_writes_the_whole(measured: dict[str, Measured]) -> None:
    """With collective writes, the log has one MPI-IO call for each rank and part, and less than a
    fiftieth of the POSIX writes."""
    bad, good = (measured[mode].counters for mode in MODES)
    assert good["MPI-IO"]["COLL_WRITES"] == MESH.writes
    assert good["POSIX"]["WRITES"] * 50 < bad["POSIX"]["WRITES"]
    assert good["MPI-IO"]["BYTES_WRITTEN"] == bad["MPI-IO"]["BYTES_WRITTEN"]
    # The parts of one call leave gaps: ROMIO reads and rewrites the bytes in them.
    again = good["POSIX"]["BYTES_WRITTEN"] - bad["POSIX"]["BYTES_WRITTEN"]
    assert 0 <= again <= good["POSIX"]["BYTES_READ"]


@pytest.mark.parametrize("mode", MODES)
def test_layers_add_up(measured: dict[str, Measured], mode: str) -> None:
    """The POSIX writes that LAYERS attributes to the datasets and the file add up to all POSIX
    writes, including those on internal files of the MPI."""
    counters = measured[mode].counters
    below = sum(
        counters[kind][f"{operation}_POSIX_WRITES"]
        for kind in ("LAYERS", "LAYERS of datasets")
        for operation in ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
    )
    assert below == counters["POSIX of all"]["WRITES"]
    for operation in ("OPEN", "CLOSE"):
        went = where_time_went(counters["LAYERS"], operation)
        assert counters["LAYERS"][f"{operation}_CALLS"] == MESH.ranks
        assert min(went.values()) >= 0
        assert went["MPIIO"] > 0


def test_waiting_for_a_late_rank_is_communication(lab: Lab, mpi: Mpi) -> None:
    """If one rank comes late to H5Fclose, the log has the waiting of all others as time of MPI
    communication or MPI-IO."""
    late = Study(lab, mpi, late=LATE).measure(MESH, "collective").counters["LAYERS"]
    went = where_time_went(late, "CLOSE")
    waited = (MESH.ranks - 1) * LATE / 1000
    assert went["all"] > 0.9 * waited
    assert went["COMM"] + went["MPIIO"] > 0.8 * waited
