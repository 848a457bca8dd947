"""Fixtures: the binding in this process, and the report as a command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tree import use_binding

SECONDS = 60

use_binding()

INCOMPLETE = 3  # exit status: the report was made, but a log is incomplete
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def summary(build: Path, tmp_path: Path) -> Run:
    """Runs darshan-job-summary in an empty folder; environment=... replaces variables."""

    def run(
        *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        # The command must find its library by itself.
        inherited = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
        return subprocess.run(
            [build / "darshan-job-summary", *arguments],
            cwd=tmp_path,
            env={**inherited, "TZ": "UTC", "DARSHAN_DOC_URL": "", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )

    return run
