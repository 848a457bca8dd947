"""Compares the line that a report names with the marks in the programs of the corpus. A comment
`blame: CASE...`, behind a line or alone before it, means that a finding about these cases must name
this line: the program's innermost line that makes the costly calls. If a case has several marked
lines, each of them is right.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from lab.findings import open_report, problems
from row import Row

PROGRAMS = Path(__file__).resolve().parent / "programs"
SITES = ("DARSHAN_SITES", "1")  # a setting of a run: with call sites
RIGHT = "right"
_MARK = re.compile(r"(.*?)\s*(?:/\*|//|#|!) blame: ([a-z0-9 -]+?)(?: \*/)?$")
# Problems that reports do not find today, and why.
MISSED = {
    "fields-c/fill-then-write": "the write of the data takes longer than the creation that fills",
}


@cache
def _marks(program: str) -> dict[str, set[int]]:
    """Returns the numbers of the lines to blame, by case."""
    found: dict[str, set[int]] = {}
    path = PROGRAMS / program
    lines = path.read_text().splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        if match := _MARK.fullmatch(line):
            code, cases = match.groups()
            for case in cases.split():
                found.setdefault(case, set()).add(number if code.strip() else number + 1)
    return found


def marked(row: Row) -> set[int]:
    """Returns the lines of a row's program that are right; empty if it has no mark."""
    return _marks(row.program).get(row.case, set())


def cases_of(program: str) -> set[str]:
    """Returns the cases of which a program has marks."""
    return set(_marks(program))


def told(build: Path, row: Row, log: Path) -> str:
    """Returns RIGHT if the row's finding names a marked line; else the text that it has instead."""
    diagnose, _, open_log = open_report(build)
    from darshan_report.call_sites.lines import lines_of  # noqa: PLC0415 - needs open_report
    from darshan_report.diagnose.blame import blame  # noqa: PLC0415

    with open_log(log) as opened:
        found = [f for f in problems(list(diagnose(opened))) if f.name in row.findings]
        if not found:
            return "no such finding"
        said: Any = blame(lines_of(opened, 10), found[0])
    if at := re.match(r"(\S+):(\d+)\b", found[0].at):  # of a rule that knows the line itself
        right = at[1] == row.program and int(at[2]) in marked(row)
        return RIGHT if right else f"{found[0].name}: {at[0]}"
    place = said.line.place if said and said.line else None
    if place is None:
        return f"{found[0].name}: {said.text if said else 'no line'}"
    if Path(place.file).name == row.program and place.line in marked(row):
        return RIGHT
    return f"{found[0].name}: {Path(place.file or place.object).name}:{place.line}"
