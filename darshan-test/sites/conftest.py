"""Fixtures that run programs with the recording of call sites."""

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
    """Returns an object that runs the scenarios of sites.c, or other commands, with this build's
    runtime and call sites recorded."""
    return Program(build, parser, tmp_path)


@pytest.fixture
def where(program: Program) -> Where:
    """Returns an object that runs `darshan where` for programs that tests compile."""
    return Where(program)
