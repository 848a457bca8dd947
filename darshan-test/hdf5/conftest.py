"""Tells tests whose programs could not be built."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def programs(build: Path) -> Path:
    """The folder of the C programs; skips where configure has not found HDF5."""
    settings = (build / "Makefile").read_text()
    if "\nwith_hdf5 = yes\n" not in settings or "\nwith_static_hdf5 = yes\n" not in settings:
        if os.environ.get("CI"):
            pytest.fail("CI is set, but configure has not found HDF5, shared and static")
        pytest.skip("configure has not found HDF5, so there are no programs to test")
    return build / "darshan-test" / "hdf5"
