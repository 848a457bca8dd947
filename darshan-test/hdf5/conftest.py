"""The fixture with the C programs of this folder; skips tests whose programs could not be built."""

from __future__ import annotations

from pathlib import Path

import pytest
from place import needs


@pytest.fixture
def programs(build: Path) -> Path:
    """Returns the folder of the C programs in the build; skips the test if configure did not find
    HDF5 or its static library."""
    needs("hdf5", "hdf5:static")
    return build / "darshan-test" / "hdf5"
