"""Fixtures: each installed MPI, with a runner for its jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from place import needs

from .launch import MPIS, Mpi, Runner


@pytest.fixture(scope="session")
def mpi_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder in which MPI programs are compiled."""
    return tmp_path_factory.mktemp("mpi-programs")


@pytest.fixture(params=MPIS, ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Returns an MPI; the test runs once for each in MPIS, and is skipped for one that is not
    installed."""
    chosen: Mpi = request.param
    needs(f"mpi:{chosen.name}")
    return chosen


@pytest.fixture
def runner(mpi: Mpi, build: Path, parser: Path, mpi_programs: Path, tmp_path: Path) -> Runner:
    """Returns an object that runs jobs of the MPI `mpi` with this build's runtime, in the test's
    folder."""
    return Runner(mpi, build / "libdarshan.so", parser, mpi_programs, tmp_path)
