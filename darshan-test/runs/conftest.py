"""Logs that programs really leave, from which runs are put together."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Before the tests are imported: `import darshan_report` is to give this build's.
_BUILD = os.environ.get("DARSHAN_BUILD")
if not _BUILD:
    raise RuntimeError("DARSHAN_BUILD does not name the build folder")
sys.path.insert(0, str(Path(_BUILD).resolve() / "python"))
os.environ["DARSHAN_UTIL_LIB"] = str(Path(_BUILD).resolve() / "libdarshan-util.so")

Program = Callable[..., Path]


@pytest.fixture
def program(build: Path, tmp_path: Path) -> Program:
    """Runs one, and returns its log."""

    def run(*command: object, settings: dict[str, str] | None = None) -> Path:
        logs = tmp_path / "logs-of-programs"
        logs.mkdir(exist_ok=True)
        before = set(logs.iterdir())
        environment = os.environ | {
            "LD_PRELOAD": str(build / "libdarshan.so"),
            "DARSHAN_ENABLE_NONMPI": "1",
            "DARSHAN_JOB_TREE": "0",
            "DARSHAN_LOGPATH": str(logs),
            **(settings or {}),
        }
        subprocess.run([str(x) for x in command], env=environment, check=True, timeout=60)
        (log,) = set(logs.iterdir()) - before
        return log

    return run
