"""Installs the files that programs need to read logs: both libraries, their headers, and
commands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

# The targets of make that install them.
PARTS = (
    *("includeHEADERS", "readerincludeHEADERS", "tables", "sharedlibPROGRAMS", "library-links"),
    *("nodist_pkgconfigDATA", "binPROGRAMS"),
)


@pytest.fixture(scope="session")
def prefix(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installs the libraries with `make install-...`, and moves the installation to another folder.
    Returns its prefix."""
    folder = tmp_path_factory.mktemp("library")
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    subprocess.run(
        ["make", "-s", "-C", build, *(f"install-{part}" for part in PARTS),
         f"prefix={folder / 'first'}"],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
        check=True,
    )  # fmt: skip
    return (folder / "first").rename(folder / "moved")
