"""Runs a program under the runtime and compares its log with the expectations of a case."""

from __future__ import annotations

import re
import resource
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from lab.environment import plain, settings
from lab.log import Log, parsed
from left import left_in
from place import absent, elsewhere
from tree import started_by

SKIPPED = 77
STANDARD_INPUT = b"12 34 56\nsecond line\n"
HERE = Path(__file__).resolve().parent
MODULES = ("POSIX", "STDIO", "POSIX_EXT")

# Only a reduction over ranks sets these.
NOT_COMPARED = re.compile(r"(FASTEST|SLOWEST)_RANK")


def case_names(kind: str, sources: str = "*.c") -> list[str]:
    """Returns the names of all rows of a kind, in the order of the sources. kind: "CASE",
    "SCENARIO" or "SPECIAL". sources: a pattern of file names."""
    row = re.compile(rf"^[A-Z0-9_]*{kind}\((\w+)", re.M)
    files = sorted(HERE.glob(f"**/{sources}"))
    return [name for path in files for name in row.findall(path.read_text())]


def leave_out(reason: str) -> NoReturn:
    """Skips a case that cannot run. If all tests must run, only an older C library, or a kernel
    (qemu, a container) that refuses a call, is accepted as a reason."""
    if reason.startswith(("the C library has no ", "the kernel forbids ")):
        elsewhere(reason)
    absent(reason)


def parse(parser: Path, path: Path, log: Log | None = None) -> Log:
    """Reads a log with darshan-parser. Returns its content. log: an earlier result, to which the
    rows are added."""
    log = Log(modules=MODULES) if log is None else log
    log.add(parsed(parser, path, "--show-incomplete"))
    return log


@dataclass
class Run:
    """A finished program. status: as of subprocess, so the negative number of a signal that ended
    it. work: the folder in which it ran. out: the file with the expectations of the case. logs,
    journals: the files that it left."""

    status: int
    stdout: bytes
    stderr: bytes
    work: Path
    out: Path
    logs: list[Path]
    journals: list[Path]


def no_core_files() -> None:
    """Disables core files, because programs of the tests die on purpose."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_case(
    build: Path,
    name: str,
    folder: Path,
    *,
    instrumented: bool = True,
    extra: dict[str, str] | None = None,
    under: Sequence[str | Path] = (),
    timeout: float = 120,
    in_files: bool = False,
) -> Run:
    """Runs `calls NAME`, started by `under`, in new folders below `folder`. Standard input and
    output are pipes or, if `in_files`, the files "stdin" and "stdout". Returns the run. extra:
    settings. timeout: seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    work, logs, journals = folder / "work", folder / "logs", folder / "journals"
    for path in (work, logs, journals):
        path.mkdir()
    env = plain() | (settings(build, logs, journals) if instrumented else {}) | (extra or {})
    out = folder / "expected"
    (folder / "stdin").write_bytes(STANDARD_INPUT)
    pipes = {} if in_files else {"input": STANDARD_INPUT, "stdout": subprocess.PIPE}
    program = build / "darshan-test" / "calls" / "calls"
    with (folder / "stdin").open("rb") as stdin, (folder / "stdout").open("wb") as stdout:
        done = subprocess.run(
            [*under, *started_by(build), program, name, work, out],
            **(pipes or {"stdin": stdin, "stdout": stdout}),
            stderr=subprocess.PIPE,
            env=env,
            cwd=work,
            timeout=timeout,
            preexec_fn=no_core_files,
            check=False,
        )
    left = left_in(journals)
    return Run(
        status=done.returncode,
        stdout=(folder / "stdout").read_bytes() if in_files else done.stdout,
        stderr=done.stderr,
        work=work,
        out=out,
        logs=sorted(logs.glob("**/*.darshan")),
        journals=left,
    )


def one_log(parser: Path, run: Run) -> Log:
    """Returns the only log of a successful run."""
    assert run.status == 0, run.stderr.decode(errors="replace")
    (path,) = run.logs
    return parse(parser, path)


@dataclass
class Expectations:
    """The rows and the trace that a case wrote. rows: relation (as in model.c), counter, value,
    path. trace: errno and result of each call under test, in order."""

    rows: list[tuple[str, str, str, str]]
    trace: list[str]


def read_expectations(path: Path) -> Expectations:
    """Reads the file that a case wrote: lines of relation, counter, value and path, separated by
    tabs. Lines with the relation "t" are the trace."""
    rows, trace = [], []
    for line in path.read_text(errors="surrogateescape").split("\n")[:-1]:
        relation, counter, value, name = line.split("\t", 3)
        if relation == "t":
            trace.append(f"{counter} {value}")
        else:
            rows.append((relation, counter, value, name))
    return Expectations(rows, trace)


def check_relation(log: Log, row: tuple[str, str, str, str]) -> str | None:
    """Checks one expectation. Returns a message if the log differs, otherwise None. row: relation,
    counter, value, path."""
    relation, counter, value, path = row
    if relation == "r":
        found = (counter, path) in log.records or counter == "POSIX_EXT"
        return None if found else f"{path}: no {counter} record"
    if relation == "s":
        got = log.total(counter)
        return None if got == int(value) else f"sum of {counter}: {value} expected, {got} found"
    got = log.value(path, counter)
    wanted = {
        "=": lambda: got == int(value),
        ">": lambda: got >= int(value),
        "+": lambda: got > 0,
        "i": lambda: int(got) == log.ids.get(value, -1),
        "?": lambda: True,
        "n": lambda: True,
    }[relation]()
    return None if wanted else f"{path}: {counter} {relation} {value} expected, {got} found"


def surprises(log: Log, rows: list[tuple[str, str, str, str]]) -> list[str]:
    """Returns integer counters that are not 0 and have no expectation."""
    named = {(path, counter) for _, counter, _, path in rows}
    summed = {counter for relation, counter, _, _ in rows if relation == "s"}
    free = {path for relation, _, _, path in rows if relation == "n"}
    found = []
    for (_, path), counters in log.records.items():
        if path in free:
            continue
        found += [
            f"{path}: {counter} 0 expected, {value} found"
            for counter, value in counters.items()
            if value
            and "_F_" not in counter
            and not NOT_COMPARED.search(counter)
            and (path, counter) not in named
            and counter not in summed
        ]
    return found


def disagreements(log: Log, expected: Expectations) -> list[str]:
    """Returns all differences between a log and the expectations of its case."""
    free = {path for relation, _, _, path in expected.rows if relation == "n"}
    rows = [row for row in expected.rows if row[3] not in free or row[0] == "n"]
    found = [text for row in rows if (text := check_relation(log, row))]
    return found + surprises(log, rows) + time_faults(log)


def time_faults(log: Log) -> list[str]:
    """Returns a line for each timestamp or timer of a log whose value is impossible."""
    faults = []
    run_time = log.run_time
    for (module, path), row in log.records.items():
        if module == "POSIX_EXT":
            continue
        standard = path.startswith("<STD")
        for kind, count in (("OPEN", "OPENS"), ("READ", "READS"), ("WRITE", "WRITES")):
            start = row[f"{module}_F_{kind}_START_TIMESTAMP"]
            end = row[f"{module}_F_{kind}_END_TIMESTAMP"]
            if row[f"{module}_{count}"] and not (standard and kind == "OPEN") and start <= 0:
                faults.append(f"{path}: no {module} time stamp of the first {kind}")
            if start > end + 1e-6 or end > run_time + 0.01:
                faults.append(f"{path}: {module} {kind} from {start} to {end} of {run_time} s")
        for kind in ("READ", "WRITE"):
            longest = row.get(f"{module}_F_MAX_{kind}_TIME", 0.0)
            if longest > row[f"{module}_F_{kind}_TIME"] + 2e-6:
                faults.append(f"{path}: the longest {kind} took more than all of them")
        faults += [
            f"{path}: {counter} is {value}"
            for counter, value in row.items()
            if counter.endswith("_TIME") and not -1e-6 <= value <= run_time + 0.01
        ]
    return faults
