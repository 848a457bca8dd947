"""Runs the scenarios of sites.c in folders of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .stacks import Program


@pytest.fixture
def program(build: Path, parser: Path, tmp_path: Path) -> Program:
    """Returns the scenarios under this build's runtime, with sites on."""
    return Program(build, parser, tmp_path)
