"""Runs the front in a folder of its own, with an environment that says nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SECONDS = 60
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The tests' environment without settings of the runtime; journals apart."""
    journals = tmp_path / "journals"
    journals.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "LD_PRELOAD"))}
    return {**kept, "DARSHAN_MMAP_LOGPATH": str(journals), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that commands start in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def darshan(build: Path, work: Path, environment: dict[str, str]) -> Run:
    """Runs `darshan ARGUMENT...`; variables=... adds to the environment."""

    def run(
        *arguments: str | bytes | Path, variables: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [build / "darshan", *arguments],
            cwd=work,
            env={**environment, **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )

    return run


@pytest.fixture
def rows(parser: Path) -> Callable[[Path], list[list[str]]]:
    """The data rows of a log, split into columns."""

    def read(log: Path) -> list[list[str]]:
        done = subprocess.run([parser, "--show-incomplete", log], capture_output=True, check=True)
        lines = done.stdout.decode("utf-8", "backslashreplace").splitlines()
        return [line.split("\t") for line in lines if line and not line.startswith("#")]

    return read
