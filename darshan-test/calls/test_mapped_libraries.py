"""Files that libraries map, of which known parts are touched. The counts are compared with the
kernel's accounting of the mapped pages (Rss of /proc/self/smaps)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_case import parse

READER = Path(__file__).with_name("mapped_libraries.py")
WITHIN = 0.02
LIBRARIES = ["numpy", "numpy-written", "numpy-shards", "arrow", "sqlite"]
MORE = [pytest.param(n, marks=pytest.mark.needs(n)) for n in ("lmdb", "safetensors")]


@pytest.mark.parametrize("how", ["whole", "some", "random"])
@pytest.mark.parametrize("library", [*LIBRARIES, *MORE])
def test_touched(library: str, how: str, build: Path, tmp_path: Path) -> None:
    """The log counts all bytes that a program uses through the mapping of a library, but not more
    than the kernel mapped."""
    subprocess.run([sys.executable, READER, library, "make"], cwd=tmp_path, check=True)
    log = tmp_path / "a.darshan"
    done = subprocess.run(
        [build / "darshan", "run", "-o", tmp_path, sys.executable, READER, library, how],
        cwd=tmp_path,
        env=os.environ | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    words = done.stdout.split()
    used, mapped = int(words[0]), int(words[1])
    path = next(tmp_path.rglob(words[2]))
    made = parse(build / "darshan-parser", log)

    def value(name: str) -> int:
        return int(made.value(str(path), f"POSIX_EXT_MMAP_{name}"))

    assert value("UNMEASURED") == 0
    assert value("TOUCHED") == pytest.approx(mapped, rel=WITHIN)
    assert value("TOUCHED") >= (1 - WITHIN) * used > 0
    if how == "whole" and library not in ("sqlite", "lmdb"):  # whose pages hold more than rows
        assert value("TOUCHED") <= (1 + WITHIN) * used
    assert value("WRITABLE") == (value("TOUCHED") if library == "numpy-written" else 0)
