"""The environment of a study's test: the build, and an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from instrumented import Lab
from place import needs


@pytest.fixture(scope="module")
def lab(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Runs programs with and without the runtime; skips where HDF5 is missing."""
    needs("hdf5")
    return Lab(build, tmp_path_factory.mktemp("study"))
