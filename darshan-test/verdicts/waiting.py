"""Rows of scripts and their processes that wait for files, or write one file again and again, and
of their healthy look-alikes."""

from __future__ import annotations

from dataclasses import replace

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)
_FOUND, _AGAIN = "sleeps-between-look-ups", "rewritten-by-processes"


def rows() -> list[Row]:
    """Returns the rows; all are runs of several processes on this machine."""
    return [*_waiting(), *_writing()]


def _writing() -> list[Row]:
    def writes(case: str, finding: str = "", remedy: str = "", *says: str) -> Row:
        return Row(
            "rewrites.sh",
            case,
            finding,
            remedy,
            says=says,
            never=("files once and keep them open", *(() if finding else ("whole again",))),
            place=HERE,
            input=1,
            tree=1,
            settings=_SITES,
        )

    return [
        writes(
            "archive-each",
            _AGAIN,
            "one call of ar",
            r"4[01] processes of ar, which rewrites\.sh started, wrote /\S+/all\.a again and "
            r"again: 2\d\.\d MiB in total, after .* for a file of 1\.\d+ MiB",
        ),
        writes("filter-and-move", f"{_AGAIN} repeated-by-processes", "one call of awk"),
        writes("script-each", _AGAIN, "in memory", r"1[12] processes of add\.py,"),
        writes("append-each"),
        writes("result-each"),
    ]


def _waiting() -> list[Row]:

    def waits(program: str, case: str, finding: str = "", remedy: str = "") -> Row:
        row = Row(program, case, finding, remedy, place=HERE, input=1, tree=1, settings=_SITES)
        return row if finding else replace(row, never=("sleeps between", "looks for a file"))

    return [
        replace(
            waits("waits.sh", "made-in-background", _FOUND, "process that makes the file"),
            says=(r"look-ups of \S+ found 3 files.* slept \d times for about \d\d\d ms",),
            never=("open files once",),
        ),
        replace(
            waits("waits.py", "answers", _FOUND, "process that makes the file"),
            says=(
                r"which make\.py made\. .* slept \d times for about \d\d\d ms",
                r"process\.wait\(\)",
            ),
        ),
        replace(
            waits("waits.py", "acknowledged", _FOUND, "process that makes the file"),
            says=(r"look-ups of waits\.py found 6 files, which ",),
            never=("Done by", "slept .* for about [0-9] ms"),
        ),
        replace(
            waits("waits.c", "child-makes", _FOUND, "process that makes the file"),
            says=(r"look-ups of \S+ found 3 files.* slept \d times for about \d\d\d ms", "waitpid"),
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
        *(waits("waits.py", case) for case in ("stop-file", "paced", "threads-work")),
    ]
