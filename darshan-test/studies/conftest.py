"""The fixture of the studies' tests, which runs programs of the build in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from instrumented import Lab
from place import needs


@pytest.fixture(scope="module")
def lab(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Returns an object that runs programs of the build with and without the runtime in an empty
    folder; skips the tests if HDF5 is missing."""
    needs("hdf5")
    return Lab(build, tmp_path_factory.mktemp("study"))
