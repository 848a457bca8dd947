"""The fixture that runs the test program in new folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Program, program_of


@pytest.fixture
def program(build: Path, parser: Path, tmp_path: Path) -> Program:
    """Returns an object that runs the scenarios of layers.c with this build's runtime."""
    return program_of(build, parser, tmp_path)
