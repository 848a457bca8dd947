"""Fixtures: the Python binding in this process, and the report as a command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab.command import finished
from lab.forked import Forked
from tree import use_binding

SECONDS = 60

use_binding()

INCOMPLETE = 3  # exit status: the report was made, but a log is incomplete
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def variables(more: dict[str, str] | None) -> dict[str, str]:
    """Returns the environment of a report: that of this process without DARSHAN_READ_LIB, so that
    the report must find the reader library by itself; in UTC, without links to documentation, and
    with `more`."""
    inherited = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
    return {**inherited, "TZ": "UTC", "DARSHAN_DOC_URL": "", **(more or {})}


@pytest.fixture
def command(build: Path, tmp_path: Path) -> Run:
    """Returns a function that runs darshan-job-summary in an empty folder with these arguments;
    it returns status and output. Its parameter `environment` has variables to use in place of
    others."""

    def run(
        *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return finished(
            [build / "darshan-job-summary", *arguments],
            cwd=tmp_path,
            env=variables(environment),
            timeout=SECONDS,
        )

    return run


@pytest.fixture(scope="session")
def forked(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    """Starts the process whose children make the reports of the fixture `summary`."""
    made = Forked(build, tmp_path_factory.mktemp("forked"))
    yield made
    made.close()


@pytest.fixture
def summary(forked: Forked, tmp_path: Path) -> Run:
    """Like `command`, but the report is made in a child of a process that has imported its modules
    already: faster, for tests of a report's content."""

    def run(
        *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return forked(arguments, tmp_path, variables(environment), SECONDS)

    return run
