"""Runs commands and returns their status and output."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def finished(
    command: Sequence[str | Path],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a command with empty standard input. Returns its status and output as text: bytes that
    are not UTF-8 are replaced, and carriage returns become newlines. timeout: in seconds; a command
    that takes longer is killed, and subprocess.TimeoutExpired is raised."""
    done = finished_in_bytes(command, cwd=cwd, env=env, timeout=timeout)
    texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    out, error = (text.replace("\r\n", "\n").replace("\r", "\n") for text in texts)
    return subprocess.CompletedProcess(done.args, done.returncode, out, error)


def finished_in_bytes(
    command: Sequence[str | Path],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Like finished(), but returns the output as unchanged bytes."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
