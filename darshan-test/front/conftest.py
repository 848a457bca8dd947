"""Fixtures that run the `darshan` command in a new folder, without settings of the runtime in the
environment."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.environment import plain
from lab.log import Row, read_rows

# Time limit of a command.
SECONDS = 60
# Runs `darshan ARGUMENT...`, with output as bytes; see the fixture darshan.
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Returns the tests' environment variables without settings of the runtime, but with a new
    folder for journals."""
    journals = tmp_path / "journals"
    journals.mkdir()
    return {**plain(), "DARSHAN_MMAP_LOGPATH": str(journals), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Returns a new folder, in which the commands run."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def darshan(build: Path, work: Path, environment: dict[str, str]) -> Run:
    """Returns a function that runs `darshan ARGUMENT...` in the folder `work`, and returns its
    status and output whatever the status is. variables: added to the environment."""

    def run(
        *arguments: str | bytes | Path, variables: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return finished_in_bytes(
            [build / "darshan", *arguments],
            cwd=work,
            env={**environment, **(variables or {})},
            timeout=SECONDS,
        )

    return run


@pytest.fixture
def rows(parser: Path) -> Callable[[Path], list[Row]]:
    """Returns a function that reads all rows that darshan-parser prints for a log."""
    return lambda log: read_rows(parser, log)
