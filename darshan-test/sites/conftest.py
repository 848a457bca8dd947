"""Runs the scenarios of sites.c in new folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
from tree import use_binding

from .stacks import Program
from .where import Where

use_binding()


@pytest.fixture
def program(build: Path, parser: Path, tmp_path: Path) -> Program:
    """Returns an object that runs the scenarios with this build's runtime and the recording of call
    sites."""
    return Program(build, parser, tmp_path)


@pytest.fixture
def where(program: Program) -> Where:
    """Returns an object that runs `darshan where` for programs that tests compile."""
    return Where(program)
