"""Makes the part of doc/diagnoses.md that says how often the report is right, for ./dev
describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import drishti
import real
from corpus import ROWS, Row
from kept import kept
from known import SOMETIMES, known

GROUPS = {
    "sync": "waiting for the device",
    "streams": "streams",
    "names": "names and folders",
    "transfers": "transfers",
    "lines": "Python and Fortran",
    "fields": "HDF5 and netCDF",
    "chunks": "chunks and searches of HDF5",
    "ranks": "MPI jobs",
    "blocks": "blocks, locks and hosts",
    "targets": "storage targets",
    "ranks_fields": "HDF5 of MPI jobs",
    "honest": "healthy, written last",
    "honest_jobs": "healthy jobs, written last",
    "usual": "what people ask about",
    "usual_jobs": "what people ask about, jobs",
    "parsed": "files that are parsed again",
    "between": "work between calls",
    "sound": "healthy, from manuals",
    "states": "programs that save their state",
    "trees": "trees of processes",
    "waits": "programs that wait for files",
    "passed": "programs that pass data on",
    "outside": "work of the kernel outside of recorded calls",
    "readers": "slow ways to read",
    "locks": "locks",
    "rewrites": "processes that write one file again",
    "in_common": "processes that use one file",
    "in_common_jobs": "ranks that write one file",
    "words": "of which something wrong was said",
    "words_jobs": "jobs of which something wrong was said",
}
_HEAD = """
## How often they are right

`darshan-test/verdicts/` has small programs with one known problem each, the same programs without it (*cures*), and healthy programs that look similar. A problem is *right* if the first finding is the one that a reader of the program would report, with its remedy, and the report of the cure no longer has it; *either* if the result depends on how busy the machine is. A stake is *in range* if it is within a factor of two of what the cure gains, measured as the difference of the medians of five alternated runs. Gains below three standard errors are *noise*, and *no stake* counts the problems whose gain was not measured since their first finding is right. `./dev verdicts --keep` repeats the measurement, and `known.txt` names every row that is not right. The rules were corrected with these programs; [first contacts](history/reliability.md#first-contact) are the results of programs before any correction.

| programs | problems | right | wrong | silent | cure accused | either | healthy | false alarms | either | stakes | in range | noise | no stake |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""  # noqa: E501


def _outcome(row: Row, listed: dict[str, str]) -> str:
    said = listed.get(row.name, "right")
    return SOMETIMES if said.startswith(SOMETIMES) else said.partition(":")[0]


def _line(title: str, rows: Sequence[Row]) -> str:
    listed, gains = known(), kept()
    problems = [row for row in rows if row.finding]
    healthy = [row for row in rows if not row.finding]
    count = Counter(_outcome(row, listed) for row in problems)
    fine = Counter(_outcome(row, listed) for row in healthy)
    right = [
        gains[row.name]
        for row in problems
        if row.name in gains and gains[row.name].said in row.findings
    ]
    certain = [then for then in right if then.gain.certain]
    numbers = [
        len(problems),
        *(count[word] for word in ("right", "wrong", "silent", "cure accused", SOMETIMES)),
        *(len(healthy), fine["false alarm"], fine[SOMETIMES]),
        *(len(certain), sum(then.gain.reached_by(then.stake) for then in certain)),
        len(right) - len(certain),
        len(problems) - len(right),
    ]
    return f"| {title} | " + " | ".join(map(str, numbers)) + " |\n"


def section() -> str:
    """Returns the generated text of the page on verdicts."""
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield _HEAD
    stem = {row.name: row.program.partition(".")[0] for row in ROWS}
    order = list(GROUPS)
    rows = sorted(ROWS, key=lambda row: order.index(stem[row.name]))
    for name, group in groupby(rows, key=lambda row: stem[row.name]):
        yield _line(GROUPS[name], list(group))
    yield _line("all", ROWS)
    logs = {real.name_of(row): row.findings for row in real.expected().values()}
    right = sum(name not in known() for name in logs)
    yield f"\nOf {len(logs)} logs of other users' runs, {right} have the first finding that a "
    yield "reader of their counters expects (`logs.tsv`).\n"
    yield from drishti.section(logs)
