"""The findings of the report on each real log are those in real-logs.tsv, which a person has
checked."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import pytest
from tree import real_log_paths

# The reviewed findings: name of the log, names of its findings, and the reason.
TABLE = Path(__file__).parent / "real-logs.tsv"


def reviewed() -> dict[str, list[str]]:
    """Returns the names of the reviewed findings, by log. Each row must have a reason."""
    with TABLE.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))[1:]
    assert all(len(row) == 3 and row[2] for row in rows)
    return {row[0]: row[1].split() for row in rows}


def findings(path: Path, build: Path) -> list[str]:
    """Returns the names of the findings on a log, without "balance"."""
    sys.path.insert(0, str(build / "python"))
    os.environ.setdefault("DARSHAN_READ_LIB", str(build / "libdarshan-read.so.0"))
    from darshan_report import open_log  # noqa: PLC0415
    from darshan_report.diagnose.run import diagnose  # noqa: PLC0415 - the path is known only here

    with open_log(path) as log:
        return [f.name for f in diagnose(log) if f.name != "balance"]


@pytest.mark.parametrize("path", real_log_paths(), ids=lambda p: p.name[:40])
def test_reviewed(path: Path, build: Path) -> None:
    """The findings on a real log are exactly the reviewed ones, in their order."""
    assert findings(path, build) == reviewed()[path.name]
