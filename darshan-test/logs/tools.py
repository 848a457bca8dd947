"""Runs Darshan's tools on a log, with limits on their time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lab.command import finished_in_bytes
from lab.environment import preload

# Limit of the address space, far more than any log here needs, and far less than a hostile length
# field can request.
MEMORY_MIB = 512
# Time limit of a tool.
SECONDS = 20
# Words in front of a command that set the limit. A shell does this, because forking this large
# process for it is slow.
LIMITED = ("/bin/sh", "-c", f'ulimit -v {MEMORY_MIB << 10}; ulimit -c 0; exec "$@"', "sh")
ENVIRONMENT = {"TZ": "UTC", "LC_ALL": "C"}
# Environment that limits allocations of programs with AddressSanitizer, which reserve terabytes of
# address space.
SANITIZED = {
    "ASAN_OPTIONS": f"exitcode=99:max_allocation_size_mb={MEMORY_MIB}",
    "UBSAN_OPTIONS": "exitcode=99",
}


@cache
def is_sanitized(binary: Path) -> bool:
    """Returns whether a program or library was built with AddressSanitizer."""
    return b"__asan_init" in binary.read_bytes()


def run(tool: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a tool and waits for its end, with limits on its time and memory. Returns its status and
    output; fails the test if it takes too long."""
    return start([tool, *arguments], is_sanitized(tool), {})


def run_library(
    library: Path, *arguments: str | Path, module: str = "logs.inprocess"
) -> subprocess.CompletedProcess[bytes]:
    """Runs logs.inprocess, or another Python module, with a library and these arguments in a
    separate process. Returns its status and output."""
    extra = {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    sanitized = is_sanitized(library)
    if sanitized:
        # Python itself is not sanitized and leaks at exit.
        found = subprocess.run(
            ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
        )
        extra |= preload(found.stdout.strip())
        extra["ASAN_OPTIONS"] = SANITIZED["ASAN_OPTIONS"] + ":detect_leaks=0"
    command = [sys.executable, "-m", module, library, *arguments]
    return start(command, sanitized, extra)


def start(
    command: Sequence[str | Path], sanitized: bool, extra: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command with limits. sanitized: whether it has AddressSanitizer, which needs other
    limits. extra: variables."""
    return finished_in_bytes(
        command if sanitized else [*LIMITED, *command],
        env=os.environ | ENVIRONMENT | SANITIZED | extra,
        timeout=SECONDS * (5 if sanitized else 1),
    )


def data_lines(output: bytes) -> list[bytes]:
    """Returns the lines of a tool's output that are neither comments nor blank."""
    return [line for line in output.split(b"\n") if line and not line.startswith(b"#")]


def by_module(output: bytes) -> dict[str, list[str]]:
    """Returns, by the module's name, the lines of darshan-parser's output from the module's title
    `# <NAME> module data` up to the next title."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in output.decode(errors="replace").splitlines():
        if line.startswith("# ") and line.endswith(" module data"):
            current = sections[line[2 : -len(" module data")]] = []
        current.append(line)
    return sections
