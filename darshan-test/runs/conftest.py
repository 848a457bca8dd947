"""Fixtures that record real programs and merge their logs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import lab.environment as lab
import pytest
from lab.command import finished
from tree import use_binding

use_binding()

Program = Callable[..., Path]
Merge = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def merge(build: Path) -> Merge:
    """Returns a function that runs darshan-merge with these arguments; under: a command in front of
    it, such as strace. The function returns status and output."""

    def run(*arguments: object, under: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        command = [str(x) for x in (*under, build / "darshan-merge", *arguments)]
        return finished(command, timeout=60)

    return run


@pytest.fixture
def program(build: Path, tmp_path: Path) -> Program:
    """Returns a function that runs a program alone, with further settings, and returns the path of
    its log."""

    def run(*command: object, settings: dict[str, str] | None = None) -> Path:
        logs = tmp_path / "logs-of-programs"
        logs.mkdir(exist_ok=True)
        before = set(logs.iterdir())
        variables = lab.settings(build, logs, DARSHAN_JOB_TREE="0")
        environment = os.environ | variables | (settings or {})
        subprocess.run([str(x) for x in command], env=environment, check=True, timeout=60)
        (log,) = set(logs.iterdir()) - before
        return log

    return run
