"""Fixtures for the tests of the lake: the lake package of this build and its commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished
from tree import use_binding

SECONDS = 60

use_binding()

# The key of tests whose command has --obfuscate without another key.
KEY = {"DARSHAN_LAKE_KEY": "key"}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def darshan(build: Path, tmp_path: Path) -> Run:
    """Returns a function that runs `darshan` with these arguments in an empty folder. It uses the
    Python of the tests, which has the packages that lakes need. environment: variables to add. The
    function returns status and output."""

    def run(
        *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
        more = {"DARSHAN_PYTHON": sys.executable, "TZ": "UTC", **KEY, **(environment or {})}
        return finished(
            [build / "darshan", *arguments],
            cwd=tmp_path,
            env={**inherited, **more},
            timeout=SECONDS,
        )

    return run
