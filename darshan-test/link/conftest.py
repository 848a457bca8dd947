"""Installs a build and moves the installation, for all tests of this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .runs import Comparison, Installed


@pytest.fixture(scope="session")
def installed(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Installs the build into a folder with a blank in its name, and then moves the folder. Returns
    the installation."""
    folder = tmp_path_factory.mktemp("installed")
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    subprocess.run(
        ["make", "-s", "-C", build, "install", f"prefix={folder / 'a prefix'}"],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
        check=True,
    )
    shutil.move(folder / "a prefix", folder / "moved here")
    return Installed(folder / "moved here")


@pytest.fixture
def comparison(build: Path, parser: Path, tmp_path: Path) -> Comparison:
    """Returns an object that runs programs in one folder and compares their logs."""
    return Comparison(build, parser, tmp_path)
