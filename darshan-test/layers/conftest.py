"""The fixture that runs the test program in folders of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Program, program_of


@pytest.fixture
def program(build: Path, parser: Path, tmp_path: Path) -> Program:
    """Returns the scenarios of layers.c under this build's runtime."""
    return program_of(build, parser, tmp_path)
