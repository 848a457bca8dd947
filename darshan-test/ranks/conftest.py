"""Fixtures of the tests of many ranks: the Python package of this build, by which the tests read
logs, and the merger."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished
from tree import use_binding

use_binding()
# Runs darshan-merge.
Merge = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def merge(build: Path) -> Merge:
    """Returns a function that runs darshan-merge with the given arguments, and returns its status
    and output."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return finished([str(x) for x in (build / "darshan-merge", *arguments)], timeout=60)

    return run
