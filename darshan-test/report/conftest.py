"""Fixtures: the binding in this process, and the report as a command."""

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
    """Returns the environment of a report, which must find its library by itself."""
    inherited = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
    return {**inherited, "TZ": "UTC", "DARSHAN_DOC_URL": "", **(more or {})}


@pytest.fixture
def command(build: Path, tmp_path: Path) -> Run:
    """Runs darshan-job-summary in an empty folder; environment=... replaces variables."""

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
    """The process whose children make the reports of `summary`."""
    made = Forked(build, tmp_path_factory.mktemp("forked"))
    yield made
    made.close()


@pytest.fixture
def summary(forked: Forked, tmp_path: Path) -> Run:
    """Makes a report in an empty folder without the start of the command, for tests of what a
    report says; environment=... replaces variables."""

    def run(
        *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return forked(arguments, tmp_path, variables(environment), SECONDS)

    return run
