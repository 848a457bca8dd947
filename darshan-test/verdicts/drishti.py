"""Results of another tool for the same logs: Drishti (drishti-io), if it is installed. It
reports insights by code, without an order of cost. Therefore its test is easier than the
report's: its result for a problem is right if any of its critical insights and warnings is about
the problem; only a critical insight is a false alarm for a program without a problem."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from corpus import ROWS

FILE = Path(__file__).resolve().parent / "drishti.txt"
SECONDS = 120
CRASHED, NONE = "crashed", "none"
# Levels of its insights that count; insights of other levels are remarks or praise.
_CRITICAL = "S01 P05 P06 P07 P08 P11 P13 P15 P16 P17 P18 P19 P21 P22 M02 M03 M09"
_WARNINGS = "M01 M06 M07 P09 P10"
CRITICAL, WARNINGS = frozenset(_CRITICAL.split()), frozenset(_WARNINGS.split())
_READ, _WRITTEN = "P05 P15", "P06 P16"
_UNEVEN = "P18 P19 P21 P22"
# For each finding, the insights that lead the user to the same change. If no insight is about the
# problem, insights about its effect on lower layers also count.
POINTS = {
    "small-accesses-read": f"{_READ} S01",
    "small-accesses-write": f"{_WRITTEN} S01",
    "element-wise": f"{_READ} {_WRITTEN}",
    "chunk-size-small": f"{_READ} {_WRITTEN}",
    "across-the-grain": f"{_READ} {_WRITTEN} P11",
    "chunk-size-large": "P09",
    "variable-length": f"{_READ} {_WRITTEN}",
    "chunk-cache": "P09",
    "sieve-buffer-read": "P09 P11",
    "sieve-buffer-write": "P10 P13",
    "random-access-read": "P11",
    "random-access-write": "P13",
    "same-bytes-again-read": "P09",
    "same-bytes-again-written": "P10",
    "read-write-alternation": f"{_READ} {_WRITTEN} P11 P13",
    "whole-file-copy": "P09 P10",
    "flush-per-chunk": "P10",
    "fill-values": "P10",
    "stdio-bulk": "S01",
    "character-calls": "S01",
    "stream-flushes": "S01",
    "stream-seeks": f"{_READ} P11 S01",
    "unbuffered-stream-read": f"{_READ} S01",
    "unbuffered-stream-write": f"{_WRITTEN} S01",
    "line-buffered": f"{_WRITTEN} S01",
    "opened-again": "P17",
    "hdf5-opened-again": "P17",
    "failed-lookups": "P17",
    "listed-again": "P17",
    "many-small-files": "P17",
    "many-objects": f"P17 {_WRITTEN}",
    "metadata": "P17",
    "no-mpi-io": "M01",
    "independent-shared-read": "M02 P15",
    "independent-shared-write": "M03 P16",
    "tiny-collective": f"{_READ} {_WRITTEN}",
    "one-process-does-all": _UNEVEN,
    "imbalance": _UNEVEN,
    "imbalance-shared": _UNEVEN,
    "slow-targets": "P19",
    "shared-file-contention": "P19",
    "unaligned": "P08",
    "slow-hosts": _UNEVEN,
    "mpi-io-itself": "M03",
    "aggregators": "M09",
    "collective-not-aggregated": f"{_READ} {_WRITTEN}",
    "read-by-all": "P09 M02",
    "waiting-in-mpi-io": "P19",
}


def command() -> str | None:
    """Returns the program: $DRISHTI, or the one found in PATH; None if there is neither."""
    return os.environ.get("DRISHTI") or shutil.which("drishti")


def codes(table: str) -> frozenset[str]:
    """Returns the codes of the critical insights and warnings in Drishti's CSV for one log, which
    has a row of codes and a row of True and False. Raises ValueError for other rows."""
    rows = list(csv.DictReader(io.StringIO(table)))
    if len(rows) != 1:
        raise ValueError("not a table of one log")
    return frozenset(c for c in CRITICAL | WARNINGS if rows[0].get(c) == "True")


def said_of(program: str, log: Path) -> frozenset[str] | None:
    """Returns the codes that Drishti reports for a log; None if it ends without a code."""
    with tempfile.TemporaryDirectory(prefix="drishti-") as folder:
        named = Path(folder) / "log.darshan"  # it requires this file name extension
        named.symlink_to(log.resolve())
        try:
            done = subprocess.run(
                [program, "--csv", "--issues", "--export_dir", folder, str(named)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        tables = list(Path(folder).glob("*.csv"))
        if done.returncode or len(tables) != 1:
            return None
        return codes(tables[0].read_text())


def kept() -> dict[str, frozenset[str] | None]:
    """Returns Drishti's stored results, codes by name of the row; None: it ended without a code."""
    found: dict[str, frozenset[str] | None] = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        if line and line[0] != "#":
            name, _, said = line.partition("\t")
            found[name] = None if said == CRASHED else frozenset(said.split())
    return found


def write(said: Mapping[str, frozenset[str] | None], version: str) -> None:
    """Writes the results of these rows into the file of stored results, and keeps its other
    rows."""
    every = kept() | dict(said)
    lines = [
        f"{name}\t{CRASHED if found is None else ' '.join(sorted(found))}".rstrip(" ")
        for name, found in sorted(every.items())
    ]
    head = f"# {version}, {date.today().isoformat()}: what it said of each row's program"
    FILE.write_text("\n".join([head, *lines]) + "\n")


def version_of(program: str) -> str:
    """Returns the versions of Drishti and of its log reader, from Drishti's own Python."""
    ask = (
        "from importlib.metadata import version as v;"
        "print(f\"Drishti {v('drishti-io')} with PyDarshan {v('darshan')}\")"
    )
    python = Path(program).resolve().parent / "python3"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "Drishti"


def outcome(right: frozenset[str], found: frozenset[str] | None) -> str:
    """Classifies Drishti's result, given the correct findings (none: no problem): right, wrong,
    silent, false alarm or crashed."""
    if found is None:
        return CRASHED
    wanted = {code for name in right for code in POINTS.get(name, "").split()}
    if found & wanted or (not right - {NONE} and not found & CRITICAL):
        return "right"
    if not right - {NONE}:
        return "false alarm"
    return "wrong" if found & CRITICAL else "silent"


def _line(title: str, rows: Mapping[str, frozenset[str]]) -> str:
    said = kept()
    known = {name: right for name, right in rows.items() if name in said}
    problems = {name: right for name, right in known.items() if right - {NONE}}
    healthy = {name: right for name, right in known.items() if not right - {NONE}}
    count = Counter(outcome(right, said[name]) for name, right in problems.items())
    fine = Counter(outcome(right, said[name]) for name, right in healthy.items())
    told = sum(len((said[name] or frozenset()) & CRITICAL) for name in healthy)
    numbers = [
        len(problems),
        *(count[word] for word in ("right", "wrong", "silent", CRASHED)),
        *(len(healthy), fine["false alarm"], fine[CRASHED]),
    ]
    mean = f"{told / len(healthy):.1f}" if healthy else ""
    return f"| {title} | " + " | ".join(map(str, numbers)) + f" | {mean} |\n"


def section(logs: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yields the section of doc/diagnoses.md; logs: the correct findings of other users' runs,
    by name."""
    if not FILE.exists():
        return
    first = FILE.read_text().splitlines()[0]
    yield f"\n{first[2:].partition(':')[0]}, of the logs of the same programs and of other "
    yield (
        "users: its insights are not ordered by cost. So its result counts as right if any "
        "critical insight or warning names the problem or its symptom in a lower layer "
        "(`darshan-test/verdicts/drishti.py` has the list), as silent if no insight is critical, "
        "and a healthy program as accused if one is. Cures were not examined. "
        "`./dev verdicts --drishti` repeats this if drishti-io is installed.\n\n"
    )
    yield "| | problems | right | wrong | silent | crashed | healthy | accused | crashed "
    yield "| critical insights on a healthy one |\n"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    yield _line("programs", {row.name: row.findings for row in ROWS})
    yield _line("logs of others", logs)
