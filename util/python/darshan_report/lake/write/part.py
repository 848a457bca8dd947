"""One part of what is to be collected: some logs become files of Parquet in a folder of
their own, which belong to no lake until they are committed.  A part needs nothing of other
parts, so it is what a worker does, here or on another machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from ...diagnose.limits import Limits
from ...library import LogError
from ...measure.layers import LAYERS
from ...measure.programs import split
from ...tables import module_by_id, module_by_name
from .. import columns
from ..commit import place
from ..commit.commits import File
from ..commit.fewer import leave_out
from ..commit.seen import ROW
from ..read import files
from ..read.batch import Batch, Columns, Kind, Texts
from ..read.files import Found, Identity, State
from . import arrow
from .apart import findings_apart
from .findings import MOST_BYTES, Findings
from .hide import Hide
from .jobs import Job, begin, identified, job_row, layer_rows, needed
from .tables import Tables, Whose

_BATCH_BYTES = 40 << 20


@dataclass(frozen=True)
class Options:
    """What a part has to know besides its logs."""

    lake: str
    traces: bool = False
    findings: bool = True
    key: str = ""  # to hide names with
    level: int = 1  # of compression
    batch_bytes: int = _BATCH_BYTES
    thresholds: dict[str, float] = field(default_factory=dict)
    run: str = ""  # a folder below _work that goes with the collector's run
    settled: float = 0.0  # seconds before which a damaged file may still be being copied


@dataclass(frozen=True)
class Took:
    """What was taken of one log."""

    records: int
    damaged: bool


@dataclass
class Part:
    """What became of some logs; its files are below `folder` as they will be in the lake."""

    folder: str
    files: list[File]
    seen: np.ndarray  # rows of commit/seen.py
    copies: np.ndarray  # the same of copies of logs that are here, or in the lake already
    took: dict[str, Took] = field(default_factory=dict)  # by the identity of a log
    again: int = 0  # logs of which another copy is in this part, or in the lake
    unread: int = 0  # files that could not be read
    over: list[str] = field(default_factory=list)  # files that were read, as problems has them
    bytes: int = 0
    read: list[Found] = field(default_factory=list)
    known: list[Found] = field(default_factory=list)  # where the copies lie
    odd: list[tuple[Found, str]] = field(default_factory=list)  # not as they were found, and why
    left: int = 0  # files that changed while they were read: for the next time

    @property
    def records(self) -> int:
        """Of its logs."""
        return sum(took.records for took in self.took.values())

    @property
    def damaged(self) -> int:
        """Logs that are."""
        return sum(took.damaged for took in self.took.values())

    def without(self, logs: Iterable[str]) -> None:
        """These are left to others, or for the next time."""
        for log in logs:
            self.took.pop(log, None)


def _needed() -> dict[int, frozenset[str]]:
    """The totals that the rows of jobs and layers are made of, by module."""
    found: dict[int, set[str]] = {}
    for layer in LAYERS:
        module = module_by_name(layer.module)
        if module is None:
            continue
        found[module.id] = {n for n in needed(layer) if module.has(n)} | {"records"}
    process = module_by_name("PROCESS")
    if process is not None:
        found[process.id] = {"PROCESS_COUNT"}
    return {module: frozenset(names) for module, names in found.items()}


class _Writer:
    """Files of Parquet below the folder of a part."""

    def __init__(self, folder: str, level: int) -> None:
        self.folder = folder
        self.files: list[File] = []
        self._level = level

    def write(self, name: str, month: str, table: pa.Table) -> None:
        """A new file of a table."""
        path = f"{name}/month={month}/{place.new_name()}.parquet"
        target = os.path.join(self.folder, path)
        # Step by step: where the collector has given up, and its folder is gone, none is made.
        for folder in (os.path.dirname(os.path.dirname(target)), os.path.dirname(target)):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
        arrow.write(table, target, self._level)
        place.sync(target)
        days = table["day"].drop_null()
        first, last = (str(days[0]), str(days[-1])) if len(days) else ("", "")
        size = os.path.getsize(target)
        shape = arrow.shape(table.schema)
        self.files.append(File(name, path, len(table), size, first, last, shape))

    def rows(self, table: columns.Table, found: list[dict[str, Any]], hide: Hide) -> None:
        """The same of rows by name."""
        by_month: dict[str, list[dict[str, Any]]] = {}
        for row in found:
            day = row["day"]
            month = day.strftime("%Y-%m") if day else "unknown"
            by_month.setdefault(month, []).append(hide.row(table, row))
        for month, some in sorted(by_month.items()):
            some.sort(key=lambda row: str(row["day"]))
            self.write(table.name, month, arrow.rows(table, some))


class _Maker:
    """Makes one part."""

    def __init__(self, options: Options, folder: str) -> None:
        self._options = options
        self._hide = Hide(options.key)
        self._writer = _Writer(folder, options.level)
        self._findings = Findings(Limits(options.thresholds), self._hide)
        self._needed = _needed()
        self._jobs: list[Job] = []
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._left: list[str] = []  # logs that are to be read another time

    def make(self, read: list[Read], part: Part) -> None:
        """Reads these logs."""
        for one in read:
            if one.state is None:
                self._problem(
                    identified(one.found, one.identity, self._hide), "", one.identity.problem
                )
        self._jobs = [identified(r.found, r.identity, self._hide, r.state) for r in read if r.state]
        batch = Batch(self._options.batch_bytes, self._options.traces)
        try:
            self._read(batch)
        finally:
            batch.close()
        for name, rows in self._rows.items():
            self._writer.rows(columns.tables()[name], rows, self._hide)
        part.files += self._writer.files
        part.took = {job.identity: Took(job.records, job.damaged) for job in self._jobs}
        if self._left:
            self._leave(part)

    def _leave(self, part: Part) -> None:
        """What changed while it was read is neither what it was nor what it will be."""
        gone = set(self._left)
        part.files = leave_out(part.folder, part.files, self._left)
        part.left = len(gone)
        part.without(gone)
        names = [Identity(int(r["high"]), int(r["low"])).text for r in part.seen]
        part.seen = part.seen[[name not in gone for name in names]]
        part.read = [r for r, name in zip(part.read, names) if name not in gone]

    def _read(self, batch: Batch) -> None:
        done = 0
        paths = [job.found.path for job in self._jobs]
        while done < len(paths):
            before = done
            done += batch.read(paths[done:])
            self._take(batch, before, min(done + 1, len(paths)))
            for job in self._jobs[before:done]:
                self._end(job)
            batch.clear()

    def _take(self, batch: Batch, first: int, behind: int) -> None:
        """The tables of a full batch, which tell of the jobs from first on."""
        texts = batch.texts
        tables = batch.tables
        for table in tables:
            if table.kind is Kind.LOGS:
                for row, log in enumerate(table.arrays["log"].tolist()):
                    begin(self._jobs[log], table, texts, row, self._hide)
            elif table.kind is Kind.PROBLEMS:
                self._problems(table, texts)
        whose = Whose(self._jobs[first:behind], first)
        made = Tables(texts, whose, self._hide)
        for table in tables:
            if table.kind is Kind.TOTALS:
                self._totals(table)
            elif table.kind is Kind.RECORDS:
                self._count(table)
                self._hosts(table, texts)
            else:
                continue
            for name, month, rows in made.each(table):
                self._writer.write(name, month, rows)

    def _count(self, table: Columns) -> None:
        module = module_by_id(table.module)
        size = module.record_size if module else 0
        logs, numbers = np.unique(table.arrays["log"], return_counts=True)
        for log, number in zip(logs.tolist(), numbers.tolist()):
            self._jobs[log].records += number
            self._jobs[log].record_bytes += number * size

    def _problems(self, table: Columns, texts: Texts) -> None:
        for log, module, problem in zip(
            *(table.arrays[n].tolist() for n in ("log", "module", "problem"))
        ):
            job = self._jobs[log]
            job.damaged = True
            known = module_by_id(module) if module >= 0 else None
            self._problem(job, known.name if known else "", texts[problem])

    def _problem(self, job: Job, module: str, problem: str) -> None:
        row = {
            **job.whose,
            "path": files.shown(job.found.path),
            "log_bytes": job.found.size,
            "module": module,
            "problem": problem,
        }
        self._rows.setdefault("problems", []).append(row)

    def _totals(self, table: Columns) -> None:
        names = self._needed.get(table.module)
        module = module_by_id(table.module)
        if not names or module is None:
            return
        ordered = sorted(names)
        values = zip(*(table.arrays[n].tolist() for n in ordered))
        for log, row in zip(table.arrays["log"].tolist(), values):
            self._jobs[log].totals[module.name] = dict(zip(ordered, row))

    def _hosts(self, table: Columns, texts: Texts) -> None:
        module = module_by_id(table.module)
        column = {"PROCESS": "name"}.get(module.name if module else "", "host")
        if column == "name" or column in table.arrays:
            pairs = np.stack([table.arrays["log"], table.arrays[column]], axis=1)
            for log, text in np.unique(pairs, axis=0).tolist():
                name = texts[text]
                host = split(name, 1)[0] if column == "name" else name
                self._jobs[log].hosts |= {host} if host else set()

    def _end(self, job: Job) -> None:
        """The rows of a log that is through."""
        if not job.info:
            self._settle(job)
            return
        layers = list(layer_rows(job))
        row = job_row(job, layers)
        if self._options.findings:
            row.update(self._found(job))
        self._rows.setdefault("jobs", []).append(row)
        self._rows.setdefault("layers", []).extend(found for _, found in layers)
        job.info = {}
        self._settle(job)

    def _settle(self, job: Job) -> None:
        """Whether the file still is what it was when it was told which log it is."""
        age = time.time() - job.found.changed / 1e9
        try:
            same = files.state(job.found.path) == job.state
        except OSError:
            same = not job.damaged
        if not same or (job.damaged and 0 <= age < self._options.settled):
            self._left.append(job.identity)

    def _found(self, job: Job) -> dict[str, Any]:
        options = self._options
        try:
            if job.record_bytes > MOST_BYTES:
                rows, more = findings_apart(job, options.thresholds, options.key)
            else:
                rows, more = self._findings.of(job)
        except LogError as error:
            self._problem(job, "", f"its findings: {error}")
            return {}
        except Exception as error:
            said = str(error).split("\n")[0]
            self._problem(job, "", f"its findings: {type(error).__name__}: {said}")
            return {}
        self._rows.setdefault("findings", []).extend(rows)
        return more


@dataclass(frozen=True)
class Read:
    """A file that was read for which log it is; without a state it could not be."""

    identity: Identity
    found: Found
    state: State | None


def _identities(logs: Sequence[Found], part: Part) -> list[Read]:
    """Which logs these are, each once."""
    found: dict[Identity, Read] = {}
    copies = []
    for log in logs:
        state = None
        try:
            which, state = files.identity(log.path)
        except OSError as error:
            which = files.of_failure(log, error.strerror or str(error))
            if files.is_gone(error, log.path):  # since it was listed: by another collector, say
                part.odd.append((log, which.problem))
                continue
        if odd := files.odd(log, state, which):
            part.odd.append((log, odd))
        part.unread += bool(which.problem)
        if which in found:
            # What could not be read is looked at again each time: it need not be remembered.
            copies += [] if which.problem else [(which, log)]
        else:
            found[which] = Read(which, log, state)
        part.bytes += log.size
    part.copies = files.rows(copies, ROW)
    part.known = [log for _, log in copies]
    # Logs are written when a job ends: mostly in the order that the tables are sorted by.
    return sorted(found.values(), key=lambda one: (one.found.changed, one.found.path))


def make(logs: Sequence[Found], options: Options, known: Any = None) -> Part:
    """Makes a part of these logs.  known: tells of which identities nothing is to be made,
    for the lake has them.  OSError: there is no room, say; nothing of it stays behind."""
    part = Part("", [], np.empty(0, ROW), np.empty(0, ROW))
    read = _identities(logs, part)
    part.seen = files.rows([(one.identity, one.found) for one in read], ROW)
    if known is not None and read:
        has = known(part.seen["high"], part.seen["low"])
        could = np.array([one.state is not None for one in read])
        part.copies = np.concatenate([part.copies, part.seen[has & could]])
        part.seen = part.seen[~has]
        part.known += [one.found for one, there in zip(read, (has & could).tolist()) if there]
        read = [one for one, there in zip(read, has.tolist()) if not there]
    part.again = len(part.copies)
    part.read = [one.found for one in read]
    if read:
        _fill(part, read, options)
    hide = Hide(options.key)
    unread = {one.found.path for one in read if one.state is None}
    done = (one.path for one in (*part.read, *part.known) if one.path not in unread)
    part.over = [hide.text(files.shown(path)) for path in done]
    return part


def _fill(part: Part, read: list[Read], options: Options) -> None:
    part.folder = os.path.join(options.lake, place.WORK, options.run, place.new_name())
    os.mkdir(part.folder)
    try:
        _Maker(options, part.folder).make(read, part)
    except BaseException:
        shutil.rmtree(part.folder, ignore_errors=True)
        raise
