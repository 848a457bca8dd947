"""The place of a study's test: what was built, and an empty folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from instrumented import Lab


@pytest.fixture(scope="module")
def lab(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Runs programs with and without the runtime; skips where HDF5 is missing."""
    if "\nwith_hdf5 = yes\n" not in (build / "Makefile").read_text():
        if os.environ.get("CI"):
            pytest.fail("CI is set, but configure has not found HDF5")
        pytest.skip("configure has not found HDF5, so there are no programs of the studies")
    return Lab(build, tmp_path_factory.mktemp("study"))
