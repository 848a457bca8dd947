"""Runs the scenarios of sites.c in folders of their own."""

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
    """Returns the scenarios under this build's runtime, with sites on."""
    return Program(build, parser, tmp_path)


@pytest.fixture
def where(program: Program) -> Where:
    """Returns `darshan where` for programs that tests compile."""
    return Where(program)
