"""Rows of programs that wait for files, and of their healthy look-alikes."""

from __future__ import annotations

from dataclasses import replace

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)
_FOUND = "sleeps-between-look-ups"


def rows() -> list[Row]:
    """Returns the rows; all are runs of several processes on this machine."""

    def waits(program: str, case: str, finding: str = "", remedy: str = "") -> Row:
        row = Row(program, case, finding, remedy, place=HERE, input=1, tree=1, settings=_SITES)
        return row if finding else replace(row, never=("sleeps between", "looks for a file"))

    return [
        replace(
            waits("waits.sh", "made-in-background", _FOUND, "process that makes the file"),
            says=(r"look-ups found 3 files, .* after \d sleeps of about \d\d\d ms",),
            never=("open files once",),
        ),
        replace(
            waits("waits.py", "answers", _FOUND, "process that makes the file"),
            says=(r"which make\.py made, after \d sleeps of about \d\d\d ms", r"process\.wait\(\)"),
        ),
        replace(
            waits("waits.c", "child-makes", _FOUND, "process that makes the file"),
            says=(r"look-ups found 3 files, .* after \d sleeps of about \d\d\d ms", "waitpid"),
        ),
        replace(
            waits("waits.sh", "made-outside"),
            says=("No other process of this run used these files",),
            never=("looks for a file",),
        ),
        replace(
            waits("waits.py", "never-made"),
            says=(r"slept 7 times between them, 1\d\d ms each", "A service that waits"),
            never=("sleeps between",),
        ),
        *(waits("waits.sh", case) for case in ("work-until-stopped", "watch-beside", "restarted")),
        *(waits("waits.py", case) for case in ("stop-file", "paced")),
    ]
