"""Runs plans of transfers under the runtime, and reads the traces in their logs."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import lab.environment as lab
from lab.environment import plain

# The operations that move bytes.
MOVES = {"pread", "pwrite", "preadv", "pwritev", "read", "write", "fread", "fwrite"}


@dataclass
class Step:
    """A line of a plan for the program `transfers`: one operation on a file, by one thread. Offset
    and length are in bytes, for sleep in microseconds."""

    operation: str
    file: str
    offset: int = 0
    length: int = 0
    thread: int = 0


@dataclass
class Done:
    """The result of a transfer of a plan: start and end by the wall clock in seconds, and the bytes
    that it moved."""

    step: Step
    start: float
    end: float
    moved: int


@dataclass
class Segment:
    """A traced transfer that darshan-dxt-parser prints: offset and length in bytes, start and end
    in seconds since the start of the job."""

    offset: int
    length: int
    start: float
    end: float
    thread: str  # "N/A": not in the log


@dataclass
class Traced:
    """A run of a plan: the results of its transfers, its log, and the traces in the log."""

    done: list[Done]
    log: Path
    error: str
    text: str = ""
    # (module, name of the file, "write" or "read") -> segments
    segments: dict[tuple[str, str, str], list[Segment]] = field(default_factory=dict)

    def of(self, file: str, kind: str, module: str = "X_POSIX") -> list[Segment]:
        """Returns the segments of a file in the order of the log; [] if there are none. kind:
        "read" or "write". module: "X_POSIX" or "X_MPIIO"."""
        return self.segments.get((module, file, kind), [])


def settings(build: Path, folder: Path, more: dict[str, str]) -> dict[str, str]:
    """Returns the environment of a run with the runtime, and makes its folders logs and journals.
    more: variables to add."""
    for name in ("logs", "journals"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return plain() | lab.settings(build, folder / "logs", folder / "journals") | more


def read_traces(build: Path, traced: Traced) -> None:
    """Runs darshan-dxt-parser on the log of `traced`, and stores its text and the segments
    there."""
    command = [build / "darshan-dxt-parser", "--show-incomplete", traced.log]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    traced.text = done.stdout
    name = ""
    for line in done.stdout.splitlines():
        found = re.match(r"# DXT, file_id: \d+, file_name: (.*)", line)
        if found:
            name = os.path.basename(found[1])
        elif line.startswith(" X_"):
            module, _, kind, index, offset, length, start, end, thread = line.split()
            rows = traced.segments.setdefault((module, name, kind), [])
            assert int(index) == len(rows)
            rows.append(Segment(int(offset), int(length), float(start), float(end), thread))


def run_plan(build: Path, folder: Path, plan: list[Step], config: str = "", **more: str) -> Traced:
    """Runs a plan with the runtime in an empty folder, and reads the traces in its log. config:
    text of the runtime's configuration file; more: variables to add."""
    work = folder / "work"
    work.mkdir(parents=True)
    lines = [f"{s.thread} {s.operation} {s.file} {s.offset} {s.length}\n" for s in plan]
    (folder / "plan").write_text("".join(lines))
    if config:
        (folder / "config").write_text(config)
        more["DARSHAN_CONFIG_PATH"] = str(folder / "config")
    program = build / "darshan-test" / "dxt" / "transfers"
    done = subprocess.run(
        [program, folder / "plan"],
        cwd=work,
        env=settings(build, folder, more),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    (log,) = (folder / "logs").iterdir()
    moves = [step for step in plan if step.operation in MOVES]
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == len(moves)
    results = [Done(s, float(a), float(b), int(n)) for s, (a, b, n) in zip(moves, rows)]
    traced = Traced(results, log, done.stderr)
    read_traces(build, traced)
    return traced


def expected(plan: list[Step], done: list[Done]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Returns offset and length of each transfer by a descriptor, by file and kind (read or write),
    in the order of the plan. Offsets are those of the plan, lengths those of its results. It is
    right only for files that one thread uses."""
    out: dict[tuple[str, str], list[tuple[int, int]]] = {}
    position: dict[str, int] = {}
    results = iter(done)
    for step in plan:
        if step.operation == "seek":
            position[step.file] = step.offset
        if step.operation not in MOVES or step.operation[0] == "f":
            if step.operation in MOVES:
                next(results)
            continue
        moved = next(results).moved
        at = step.offset
        if step.operation in ("read", "write"):
            at = position.get(step.file, 0)
        # Like the counters, the tracked position follows pread and pwrite, too.
        position[step.file] = at + moved
        kind = "write" if "write" in step.operation else "read"
        out.setdefault((step.file, kind), []).append((at, moved))
    return out
