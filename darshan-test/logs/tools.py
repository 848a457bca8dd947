"""Running the tools on a log, within limits of time and memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

# Far above what any log here needs, far below what a length field can ask for.
MEMORY_KIB = 512 << 10
SECONDS = 20
# A limit set by a shell, because forking this large process for it is slow.
LIMITED = ("/bin/sh", "-c", f'ulimit -v {MEMORY_KIB}; ulimit -c 0; exec "$@"', "sh")
ENVIRONMENT = {"TZ": "UTC", "LC_ALL": "C"}


def run(tool: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a tool to its end; a tool that hangs fails the test."""
    return subprocess.run(
        [*LIMITED, tool, *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=os.environ | ENVIRONMENT,
        timeout=SECONDS,
        check=False,
    )


def data_lines(output: bytes) -> list[bytes]:
    """The lines that are neither comments nor blank."""
    return [line for line in output.split(b"\n") if line and not line.startswith(b"#")]


def by_module(output: bytes) -> dict[str, list[str]]:
    """The lines after each `# <NAME> module data` title."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in output.decode(errors="replace").splitlines():
        if line.startswith("# ") and line.endswith(" module data"):
            current = sections[line[2 : -len(" module data")]] = []
        current.append(line)
    return sections
