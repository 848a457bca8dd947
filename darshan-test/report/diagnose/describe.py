"""Writes doc/diagnoses.md: every finding as its smallest log has it, and the thresholds.

./dev describe
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from darshan_report import open_log
from darshan_report.diagnose import rules
from darshan_report.diagnose.finding import Finding
from darshan_report.diagnose.limits import LIMITS
from darshan_report.diagnose.reference import anchor
from darshan_report.diagnose.run import diagnose

from .build import write
from .cases import CASES

sys.path.append(str(Path(__file__).resolve().parents[2] / "verdicts"))
from page import section as verdicts

PAGE = Path(__file__).resolve().parents[3] / "doc" / "diagnoses.md"
_START = """# Diagnoses

What `darshan report` and `darshan stat` look for. Each finding of a report has the name of its diagnosis, which this page explains: what the problem is, an example of the finding's text, how the lost seconds are estimated, and what to do.

A problem is told if it costs enough (`stake.share` and `stake.seconds`, or `stake.large`, in the table at the end), the costliest first. The seconds at stake are an upper bound, over all processes; each finding says how they were estimated. A symptom is left out where causes explain all of its files, and at least half of what it costs: small reads of a file whose dataset is stored across the grain are told as that.

Each diagnosis is one file in `util/python/darshan_report/diagnose/rules/`, a pure function of a log; `darshan-test/report/diagnose/cases.py` holds the smallest log of each, and the nearest one on which it is silent. This page is made by `./dev describe`; a test holds it against the rules.
"""  # noqa: E501


# Each line of the public rule set (Drishti 0.8), and the diagnosis here that covers it.
_PUBLIC = (
    ("S01", "share of bytes through stdio", "stdio-bulk"),
    ("P01-P04", "more reads or more writes, calls and bytes", "balance"),
    ("P05, P06", "small reads, small writes", "small-accesses-read, small-accesses-write"),
    ("P07, P08", "not aligned in memory, in the file", "memory-alignment, unaligned"),
    (
        "P09, P10",
        "more bytes moved than the file holds",
        "same-bytes-again-read, same-bytes-again-written",
    ),
    ("P11, P13", "random reads, random writes", "random-access-read, random-access-write"),
    ("P12, P14", "mostly sequential", "as-it-should-be-sequential"),
    (
        "P15, P16",
        "small transfers of shared files",
        "no-mpi-io, independent-shared-read, independent-shared-write",
    ),
    ("P17", "a rank's metadata time", "metadata"),
    ("P18, P19", "shared file: slowest against fastest rank", "imbalance-shared"),
    ("P21, P22", "files of single ranks: imbalance", "imbalance, one-process-does-all"),
    ("M01", "MPI job without MPI-IO", "no-mpi-io"),
    ("M02, M03", "no collective transfers", "independent-shared-read, independent-shared-write"),
    ("M04, M05", "collective in use", "as-it-should-be-collective"),
    ("M06, M07", "only blocking transfers", "blocking-only"),
    ("M08-M10", "aggregators per node", "aggregators, collective-not-aggregated"),
)


def _public() -> Iterator[str]:
    known = {name for name, _, _ in CASES}
    yield "\n## The public rule set\n\n| rule | fires on | here |\n|---|---|---|\n"
    for rule, what, ours in _PUBLIC:
        names = ours.split(", ")
        if not known.issuperset(names):
            raise ValueError(f"{rule}: no diagnosis is called {ours}")
        yield f"| {rule} | {what} | {', '.join(f'`{n}`' for n in names)} |\n"


def _finding(name: str, finding: Finding, why: str) -> Iterator[str]:
    yield f'\n<a id="{anchor(name)}"></a>\n'
    yield f"### {name}\n"
    yield f"*{why}* Kind: {finding.kind}.\n"
    yield f"> **{finding.title}.** {finding.sentence}\n"
    if finding.stake.basis:
        yield f"At stake: {finding.stake.basis}.\n"
    if finding.remedy.text:
        yield f"Remedy: {finding.remedy.text}\n"
    if finding.remedy.example:
        yield f"```\n{finding.remedy.example}\n```\n"
    if finding.limits:
        yield "Thresholds: " + ", ".join(f"`{n}`" for n in finding.limits) + ".\n"


def page() -> str:
    """The text of the page."""
    parts = [_START, "\n## Findings\n"]
    modules = [
        importlib.import_module(f"{rules.__name__}.{m.name}")
        for m in pkgutil.iter_modules(rules.__path__)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, having, _ in sorted(CASES, key=lambda case: case[0]):
            with open_log(write(having, Path(folder) / "log")) as log:
                found = next(f for f in diagnose(log) if f.name == name)
            owner = max(
                (m for m in modules if name == m.NAME or name.startswith(f"{m.NAME}-")),
                key=lambda m: len(m.NAME),
            )
            why = (owner.__doc__ or "").strip().split("\n")[0]
            parts += (f"{text}\n" for text in _finding(name, found, why))
    parts.append(verdicts())
    parts += _public()
    parts.append("\n## Thresholds\n\n`--thresholds FILE` changes them: lines `name = number`.\n")
    parts.append("\n| name | value | unit | decides | source |\n|---|---:|---|---|---|\n")
    for row in LIMITS:
        parts.append(
            f"| `{row.name}` | {row.value:,g} | {row.unit} | {row.meaning} | {row.source} |\n"
        )
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
