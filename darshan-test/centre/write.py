"""Writes the logs of planned runs into one folder per day, and adds up the expected answers of
queries."""

from __future__ import annotations

import datetime
import os
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from logs.encode import encode, header_size
from logs.model import Log, Module

from . import names, plan
from .plan import Calendar, Run
from .programs import ARCHIVE, ASSEMBLE, BACKUP, RESHUFFLE, SOLVER
from .record import Amount
from .regions import templates

_UTC = datetime.timezone.utc
# Id of the first job.
_FIRST_JOB = 1_000_000
# The mounts of the centre.
_MOUNTS = [(b"/", b"ext4"), (b"/home", b"nfs"), (b"/scratch", b"lustre")]


@dataclass
class Truth:
    """The expected answers of the ready queries: sums over the undamaged logs by program, and the
    damaged logs by kind."""

    jobs: Counter[str] = field(default_factory=Counter)
    moved: Counter[str] = field(default_factory=Counter)
    damaged: Counter[str] = field(default_factory=Counter)
    slow: list[int] = field(default_factory=list)  # jobs that began in the slow night
    bytes: int = 0  # size of the logs

    def add(self, run: Run, size: int) -> None:
        """Counts a log of `size` bytes: by its damage, or by its program and as one of the slow
        night."""
        self.bytes += size
        if run.damage >= 0:
            self.damaged[plan.DAMAGES[run.damage]] += 1
            return
        self.jobs[run.program.name] += 1
        self.moved[run.program.name] += run.moved
        if run.slow:
            self.slow.append(_FIRST_JOB + run.number)

    def merge(self, other: Truth) -> None:
        """Adds the values of another chunk of logs to this one."""
        self.jobs += other.jobs
        self.moved += other.moved
        self.damaged += other.damaged
        self.slow += other.slow
        self.bytes += other.bytes


def stories(truth: Truth, days: Calendar) -> dict[str, Any]:
    """Returns the expected answers in the form of stories.json."""

    def moment(seconds: int) -> str:
        return datetime.datetime.fromtimestamp(seconds, _UTC).strftime("%Y-%m-%dT%H:%M")

    return {
        "begin": moment(days.begin)[:10],
        "weeks": days.weeks,
        "programs": {
            name: {"jobs": jobs, "bytes": truth.moved[name]}
            for name, jobs in sorted(truth.jobs.items())
        },
        "tiny writes": {"program": ASSEMBLE.name, "user": ASSEMBLE.user},
        "bug": {"program": SOLVER.name, "date": moment(days.bug)[:10]},
        "growth": {"program": ARCHIVE.name, "times": plan.GROWN},
        "weekly": {"program": BACKUP.name, "weekday": 7},
        "slow night": {
            "from": moment(days.night),
            "to": moment(days.morning),
            "times": plan.SLOWER,
            "job": _FIRST_JOB + plan.CULPRIT,
            "program": RESHUFFLE.name,
            "user": RESHUFFLE.user,
            "jobs": sorted(truth.slow),
        },
        "damaged": dict(sorted(truth.damaged.items())),
    }


def _log(run: Run, known: list[bytes], ids: np.ndarray) -> Log:
    """Returns the log of a run, whose regions are already encoded. known, ids: names and record ids
    of its files."""
    spent = run.rounds * run.pace
    amount = Amount(run.rounds, spent, run.pace, run.seconds, spent / run.ranks)
    end, part = divmod(run.begun + run.seconds, 1)
    program = run.program.name
    writer = run.writer
    return Log(
        version=writer.format,
        order=writer.order,
        uid=run.uid,
        start=(run.begun, 0),
        end=(int(end), int(part * 1e9)),
        nprocs=run.ranks,
        jobid=_FIRST_JOB + run.number,
        metadata=f"lib_ver={writer.library}\n".encode(),
        exe=f"/apps/{program}/bin/{program} --case {run.number}".encode(),
        mounts=_MOUNTS,
        names=list(zip(ids.tolist(), known)),
        modules=[
            Module(t.module, t.version, raw=t.records(writer.order, ids, run.ranks, amount))
            for t in templates(run.files, writer)
        ],
        level=1,
    )


def _damaged(data: bytes, run: Run) -> bytes:
    """Returns the bytes of a log as a full or bad disk would leave them. data: of the undamaged
    log; run.damage: the kind of damage."""
    kind = plan.DAMAGES[run.damage]
    head = header_size(Log(version=run.writer.format))
    if kind == "cut in the header":
        return data[: head // 2] + run.number.to_bytes(8, "little")
    if kind == "a blank header":
        return bytes(64) + data[64:]
    if kind == "cut in the records":
        return data[:-20]
    return data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]  # in the last checksum


def _path(run: Run) -> str:
    """Returns the path of a run's log below the corpus: the folder of the day, and a name like
    those of the runtime."""
    begun = datetime.datetime.fromtimestamp(run.begun, _UTC)
    job, mixed = _FIRST_JOB + run.number, run.number * 2_654_435_761 % (1 << 32)
    day = f"{begun.year}/{begun.month}/{begun.day}"
    seconds = begun.hour * 3600 + begun.minute * 60 + begun.second
    return (
        f"{day}/{run.user}_{run.program.name}_id{job}-{mixed % 4_000_000}_"
        f"{begun.month}-{begun.day}-{seconds}-{mixed}_1.darshan"
    )


def _write(folder: Path, run: Run, data: bytes, made: set[str]) -> None:
    """Writes a log, with the folder of its day. The log's time is the end of the run. made: the
    folders that exist; a new one is added."""
    path = os.path.join(folder, _path(run))
    day = os.path.dirname(path)
    if day not in made:
        os.makedirs(day, exist_ok=True)
        made.add(day)
    with open(path, "wb") as file:
        file.write(data)
    end = run.begun + run.seconds
    os.utime(path, (end, end))  # so that --since selects by the job's end, as at a centre


def chunk(folder: Path, seed: int, days: Calendar, count: int, first: int) -> Truth:
    """Writes the logs of the chunk that begins with run number `first`. count: number of all runs
    of the corpus. Returns the chunk's expected answers."""
    truth, made = Truth(), set[str]()
    groups: dict[tuple[str, bool], list[Run]] = defaultdict(list)
    for run in plan.runs(seed, days, count, first):
        groups[run.program.name, run.files is run.program.since].append(run)
    for runs in groups.values():
        numbers = np.array([run.number for run in runs])
        known, ids = names.of_runs(runs[0].program.name, runs[0].files, numbers)
        for run, mine, theirs in zip(runs, known, ids):
            data = encode(_log(run, mine, theirs))
            if run.damage >= 0:
                data = _damaged(data, run)
            _write(folder, run, data, made)
            truth.add(run, len(data))
    return truth
