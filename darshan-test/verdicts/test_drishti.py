"""Tests how another tool's table is parsed and counted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from corpus import ROWS
from drishti import CRITICAL, POINTS, WARNINGS, codes, outcome, said_of
from real import expected

TABLE = "JOB,S01,P01,P06,P10,M04\r\n77,False,True,True,True,True\r\n"


def test_remarks_and_praise_are_left_out() -> None:
    """Only problems and warnings count among the insights in Drishti's table."""
    assert codes(TABLE) == {"P06", "P10"}


@pytest.mark.parametrize("text", ["", "JOB,P06\r\n", TABLE + "78,True,True,True,True,True\r\n"])
def test_no_table_of_one_log(text: str) -> None:
    """Text that is not a table of exactly one log is refused."""
    with pytest.raises(ValueError, match="one log"):
        codes(text)


@pytest.mark.parametrize(
    ("right", "said", "verdict"),
    [
        ("small-accesses-write", {"P06", "M01"}, "right"),
        ("small-accesses-write", {"P08"}, "wrong"),
        ("small-accesses-write", set(), "silent"),
        ("small-accesses-write", {"M01"}, "silent"),
        ("syncs", {"P06"}, "wrong"),
        ("", {"P10", "M01"}, "right"),
        ("", {"P08"}, "false alarm"),
        ("", None, "crashed"),
        ("none", {"P08"}, "false alarm"),
        ("none metadata", {"P08"}, "wrong"),
        ("none metadata", {"P17"}, "right"),
    ],
)
def test_outcome(right: str, said: set[str] | None, verdict: str) -> None:
    """The insights on a log are judged by the findings that are expected of it. right: these
    findings. said: the insights' codes; None: Drishti failed."""
    found = None if said is None else frozenset(said)
    assert outcome(frozenset(right.split()), found) == verdict


def test_points_are_findings_that_are_expected_and_insights_that_accuse() -> None:
    """The table POINTS pairs findings that the corpus expects with insights that are problems or
    warnings."""
    rows = [row.findings for row in ROWS] + [row.findings for row in expected().values()]
    assert set(POINTS) <= frozenset().union(*rows)
    assert {code for said in POINTS.values() for code in said.split()} <= CRITICAL | WARNINGS


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Makes a program that writes the table to its output path, or ends like a crash."""
    path = tmp_path / "drishti"
    path.write_text(
        '#!/bin/sh\n[ -e "$5" ] || exit 1\n[ -s "$5" ] || exit 2\n'
        f"printf '{TABLE.strip()}' > \"$4/log.csv\"\n".replace("\r\n", "\\r\\n")
    )
    os.chmod(path, path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_log_is_given_by_a_name_that_it_takes(program: Path, tmp_path: Path) -> None:
    """Drishti gets a log whose name does not end in .darshan by another name; an empty log makes it
    fail."""
    log = tmp_path / "1-2.darshan.0"
    log.write_bytes(b"log")
    assert said_of(str(program), log) == {"P06", "P10"}
    log.write_bytes(b"")
    assert said_of(str(program), log) is None
