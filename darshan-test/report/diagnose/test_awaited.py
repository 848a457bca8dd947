"""If one rank is slow and the others wait, the finding is the reason why the rank is slow, if a
rule recognizes one; otherwise it is the imbalance."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import PROBLEM, Finding
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, Row, row, write

_RANKS = 64


def bytewise(rank: int) -> Row:
    """Returns the record of a file that a rank read byte by byte in two seconds."""
    return row(
        "POSIX", f"/mesh{rank}", rank=rank, OPENS=1, READS=2 * MIB, SEQ_READS=2 * MIB,
        CONSEC_READS=2 * MIB, SIZE_READ_0_100=2 * MIB, BYTES_READ=2 * MIB,
        MAX_BYTE_READ=2 * MIB - 1, ACCESS1_ACCESS=1, ACCESS1_COUNT=2 * MIB, F_READ_TIME=2.0,
    )  # fmt: skip


def large(rank: int) -> Row:
    """Returns the record of a file that a rank read in large calls in two seconds."""
    return row(
        "POSIX", f"/mesh{rank}", rank=rank, OPENS=1, READS=40, SEQ_READS=40, CONSEC_READS=40,
        SIZE_READ_1M_4M=40, BYTES_READ=80 * MIB, MAX_BYTE_READ=80 * MIB - 1, F_READ_TIME=2.0,
    )  # fmt: skip


def problems(rows: tuple[Row, ...], folder: Path) -> list[Finding]:
    """Returns the problems of a job with these records."""
    with open_log(write(Job(rows, nprocs=_RANKS), folder / "log.darshan")) as log:
        return [f for f in diagnose(log) if f.kind == PROBLEM]


def test_a_rule_knows_why(tmp_path: Path) -> None:
    """If only rank 0 of 64 reads, byte by byte, the finding is about small reads, and could save
    its two seconds for the whole run."""
    found = problems((bytewise(0),), tmp_path)
    assert [f.name for f in found] == ["small-accesses-read"]
    assert found[0].stake.run == pytest.approx(2.0, rel=0.1)


def test_no_rule_knows_why(tmp_path: Path) -> None:
    """If only rank 0 of 64 reads, in large calls, the finding is that it does more than the
    others."""
    assert [f.name for f in problems((large(0),), tmp_path)] == ["imbalance"]


def test_all_ranks(tmp_path: Path) -> None:
    """If all 64 ranks read byte by byte, none waits for another: the potential saving is the two
    seconds of a rank."""
    found = problems(tuple(bytewise(rank) for rank in range(_RANKS)), tmp_path)
    assert found[0].name == "small-accesses-read"
    assert found[0].stake.run == pytest.approx(2.0, rel=0.1)
    assert "wait meanwhile" not in found[0].stake.basis
