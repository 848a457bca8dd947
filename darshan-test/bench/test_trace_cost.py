"""Counts the instructions that darshan-convert needs for a traced transfer, which do not depend on
the load of the machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from make_large_trace import write_trace

SEGMENTS = 40_000
# Most instructions per transfer; level 7 of zlib takes 4,800, level 9 takes 14,100.
MOST = 7_000


@pytest.mark.needs("program:valgrind")
def test_a_trace_is_converted_cheaply(build: Path, tmp_path: Path) -> None:
    """darshan-convert needs less than MOST instructions per traced transfer. The new log has the
    same transfers, and is hardly larger than the old log, which zlib compressed at level 6."""
    old, new = tmp_path / "old.darshan", tmp_path / "new.darshan"
    write_trace(old, SEGMENTS)
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*counted, build / "darshan-convert", old, new]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    assert int(found[1]) < MOST * SEGMENTS
    assert new.stat().st_size < 1.01 * old.stat().st_size
    printed = [
        subprocess.run([build / "darshan-dxt-parser", log], capture_output=True, check=True).stdout
        for log in (old, new)
    ]
    rows = [[x for x in text.split(b"\n") if not x.startswith(b"#")] for text in printed]
    assert rows[0] == rows[1]
    assert len([x for x in rows[0] if x]) == SEGMENTS
