"""Makes a part of a collection: some logs become Parquet files in a folder of their own.

The files belong to no lake until they are committed. A part does not depend on other parts, so any
worker, on this machine or another one, can make it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

import numpy as np
import pyarrow as pa

from ...classes import dataclass
from ...diagnose.limits import Limits
from ...library import LogError
from ...measure.layers.layers import LAYERS
from ...measure.processes.programs import split
from ...tables import module_by_id, module_by_name
from .. import columns
from ..commit import storage
from ..commit.commits import File
from ..commit.delete_rows import leave_out
from ..commit.older_contents import Place
from ..commit.seen import ROW
from ..commit.verify import hash_of
from ..read import files
from ..read.batch import Batch, Columns, Kind, Texts
from ..read.files import Found, Identity, State
from . import arrow, impossible, owners
from .findings import MOST_BYTES, Findings
from .hide import Hide
from .jobs import Job, begin, identified, job_row, layer_rows, needed
from .metadata import metadata_rows
from .sites import MODULE as SITES
from .sites import Sites
from .subprocess_findings import findings_apart
from .tables import Tables, Whose

_BATCH_BYTES = 40 << 20
_ROWS = 8192  # of the table sites that are in memory before a file is written


@dataclass(frozen=True)
class Options:
    """The options and limits by which all parts of a collection are made. lake: its path. findings:
    whether to compute findings, with these thresholds, by name. traces: whether to read traces,
    too. batch_bytes: of columns in memory at a time."""

    lake: str
    traces: bool = False
    programs: bool = False  # reads the programs that logs name, for lines of code
    findings: bool = True
    key: str = ""  # anonymizes names if not empty
    level: int = 1  # of compression
    batch_bytes: int = _BATCH_BYTES
    thresholds: dict[str, float] = field(default_factory=dict)
    run: str = ""  # a folder below _work that is deleted with the collector's run
    rate: int = impossible.RATE  # bytes per second that a process can move at most
    log_bytes: int = 4 << 30  # size above which a log is not read
    log_seconds: float = 300.0  # processor time after which reading a log is given up
    settled: float = 0.0  # an incomplete file that is younger, in seconds, may be being copied


@dataclass(frozen=True)
class Took:
    """The result of reading one log: the number of records that are in the part, and whether the
    log is damaged."""

    records: int
    damaged: bool


@dataclass
class Part:
    """The result of making a part. The files below `folder` have the same relative paths that they
    will have in the lake. bytes: size of the logs that were looked at, also of those that the lake
    has. read: the files of the logs in it."""

    folder: str
    files: list[File]
    seen: np.ndarray  # rows of commit/seen.py
    # rows of copies: the log is in this part under another path, or in the lake already
    copies: np.ndarray
    took: dict[str, Took] = field(default_factory=dict)  # by the identity of a log
    again: int = 0  # logs of which another copy is in this part or in the lake
    unread: int = 0  # files that could not be read
    # the files that were read, and their paths as the tables have them, by the keys of the files
    at: dict[int, Place] = field(default_factory=dict)
    bytes: int = 0
    read: list[Found] = field(default_factory=list)
    known: list[Found] = field(default_factory=list)  # the files of the copies
    # files that differ from those that the search found, with the reason
    odd: list[tuple[Found, str]] = field(default_factory=list)
    # files that changed while they were read, or may still be copied; the next collection reads
    # them
    left: int = 0
    spent: dict[int, float] = field(default_factory=dict)  # processor time, by owners of logs
    replaced: int = 0  # older contents of its files, which its commit removed from the lake

    @property
    def over(self) -> list[str]:
        """The paths of the files that were read, in the form of the column `path` of the table
        problems, whose earlier rows of these paths must be removed."""
        return [place.shown for place in self.at.values()]

    @property
    def records(self) -> int:
        """The number of records of all logs."""
        return sum(took.records for took in self.took.values())

    @property
    def damaged(self) -> int:
        """The number of damaged logs."""
        return sum(took.damaged for took in self.took.values())

    def without(self, logs: Iterable[str]) -> None:
        """Removes logs from the result, because other parts or the next collection have them."""
        for log in logs:
            self.took.pop(log, None)


def _needed() -> dict[int, frozenset[str]]:
    """Returns the names of the totals that rows of jobs and layers use, by module id."""
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


class Writer:
    """Writes Parquet files below the folder of a part. files: those that it has written."""

    def __init__(self, folder: str, level: int) -> None:
        self.folder = folder
        self.files: list[File] = []
        self._level = level

    def write(self, name: str, month: str, table: pa.Table) -> None:
        """Writes rows to a new file of the table `name`, flushes it to the disk and adds it to
        `files`. table: the rows, ordered by day. month: of all rows. Raises OSError, also if the
        collector has stopped and deleted the folder."""
        path = f"{name}/month={month}/{storage.new_name()}.parquet"
        target = os.path.join(self.folder, path)
        # Not makedirs: if the collector has stopped and deleted its folder, this must fail.
        for folder in (os.path.dirname(os.path.dirname(target)), os.path.dirname(target)):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
        arrow.write(table, target, self._level)
        storage.sync(target)
        days = table["day"].drop_null()
        first, last = (str(days[0]), str(days[-1])) if len(days) else ("", "")
        size = os.path.getsize(target)
        shape = arrow.shape(table.schema)
        content = hash_of(target)
        self.files.append(File(name, path, len(table), size, first, last, shape, content))

    def rows(self, table: columns.Table, found: list[dict[str, Any]], hide: Hide) -> None:
        """Writes rows, which are dicts by column name, to one file per month. hide: anonymizes
        their secret columns."""
        by_month: dict[str, list[dict[str, Any]]] = {}
        for row in found:
            day = row["day"]
            month = day.strftime("%Y-%m") if day else "unknown"
            by_month.setdefault(month, []).append(hide.row(table, row))
        for month, some in sorted(by_month.items()):
            some.sort(key=lambda row: str(row["day"]))
            self.write(table.name, month, arrow.rows(table, some))


class _Maker:
    """Reads a list of logs and writes their rows as the Parquet files of one part."""

    def __init__(self, options: Options, folder: str) -> None:
        self._options = options
        self._hide = Hide(options.key)
        self._writer = Writer(folder, options.level)
        self._findings = Findings(Limits(options.thresholds), self._hide)
        self._needed = _needed()
        self._jobs: list[Job] = []
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._sites: dict[str, Sites] = {}  # by the identities of logs
        self._left: list[str] = []  # logs for the next collection
        self._given_up: list[str] = []  # logs of which reading took too long
        self._spent: dict[int, float] = {}

    def make(self, read: list[Read], part: Part) -> None:
        """Reads these logs, and adds the files with their rows to a part."""
        for one in read:
            if one.state is None:
                self._problem(
                    identified(one.found, one.identity, self._hide), "", one.identity.problem
                )
        self._jobs = [identified(r.found, r.identity, self._hide, r.state) for r in read if r.state]
        self._read()
        if self._given_up:
            self._writer.files = leave_out(part.folder, self._writer.files, self._given_up)
        part.spent = self._spent
        for name, rows in self._rows.items():
            self._writer.rows(columns.tables()[name], rows, self._hide)
        part.files += self._writer.files
        part.took = {job.identity: Took(job.records, job.damaged) for job in self._jobs}
        if self._left:
            self._leave(part)

    def _leave(self, part: Part) -> None:
        """Removes from a part the logs that are left for the next collection."""
        gone = set(self._left)
        part.files = leave_out(part.folder, part.files, self._left)
        part.left = len(gone)
        part.without(gone)
        names = [Identity(int(r["high"]), int(r["low"])).text for r in part.seen]
        part.seen = part.seen[[name not in gone for name in names]]
        part.read = [r for r, name in zip(part.read, names) if name not in gone]

    def _read(self) -> None:
        """Reads all logs of the part. Drops a log that takes too long."""
        done = 0
        while done < len(self._jobs):
            batch = Batch(self._options.batch_bytes, self._options.traces)
            try:
                done = self._read_on(batch, done)
            finally:
                batch.close()

    def _read_on(self, batch: Batch, done: int) -> int:
        """Reads logs from index `done` on, until the last log or a log that takes too long. Returns
        the index after it."""
        paths = [job.found.path for job in self._jobs]
        first, seconds = done, 0.0  # of the log that is being read
        while done < len(paths):
            before, began = done, time.thread_time()
            done += batch.read(paths[done:])
            self._take(batch, first, before, min(done + 1, len(paths)))
            seconds = time.thread_time() - began + (seconds if done == before else 0.0)
            self._spend(self._jobs[before : done + 1], time.thread_time() - began)
            for job in self._jobs[before:done]:
                began = time.thread_time()
                self._end(job)
                self._spend([job], time.thread_time() - began)
            batch.clear()
            if done < len(paths) and seconds > self._options.log_seconds:
                self._give_up(self._jobs[done])
                return done + 1
        return done

    def _spend(self, jobs: list[Job], seconds: float) -> None:
        """Adds processor time that reading these jobs' logs took to their owners, in equal
        parts."""
        for job in jobs:
            owner = job.found.owner
            self._spent[owner] = self._spent.get(owner, 0.0) + seconds / len(jobs)

    def _give_up(self, job: Job) -> None:
        """Drops a log whose reading takes too long; a row of problems remains."""
        job.damaged, job.records, job.info = True, 0, {}
        self._given_up.append(job.identity)
        most = self._options.log_seconds
        self._problem(job, "", f"reading it took more than {most:g} s (--log-seconds)")

    def _take(self, batch: Batch, zero: int, first: int, behind: int) -> None:
        """Writes the tables of a full batch. Its rows belong to the jobs from index `first` until
        before `behind`. zero: index of the job that the batch calls log 0."""
        texts = batch.texts
        # Records come before totals, because an impossible value in a record makes its total null,
        # too.
        tables = sorted(batch.tables, key=lambda one: one.kind)
        for table in tables:
            if zero:
                table.arrays["log"] = table.arrays["log"] + zero
            if table.kind is Kind.LOGS:
                for row, log in enumerate(table.arrays["log"].tolist()):
                    begin(self._jobs[log], table, texts, row, self._hide, rate=self._options.rate)
            elif table.kind is Kind.PROBLEMS:
                self._problems(table, texts)
        whose = Whose(self._jobs[first:behind], first)
        made = Tables(texts, whose, self._hide)
        for table in tables:
            if table.kind not in (Kind.TOTALS, Kind.RECORDS):
                continue
            for name, month, rows in made.each(table):
                self._writer.write(name, month, rows)
            if table.kind is Kind.TOTALS:
                self._totals(table)
            else:
                self._count(table)
                self._hosts(table, texts)
                self._add_sites(table, texts)

    def _count(self, table: Columns) -> None:
        module = module_by_id(table.module)
        size = module.record_size if module else 0
        logs, numbers = np.unique(table.arrays["log"], return_counts=True)
        for log, number in zip(logs.tolist(), numbers.tolist()):
            self._jobs[log].records += number
            self._jobs[log].record_bytes += number * size

    def _add_sites(self, table: Columns, texts: Texts) -> None:
        module = module_by_id(table.module)
        if module is None or module.name != SITES:
            return
        logs = table.arrays["log"]
        order = np.argsort(logs, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(logs[order])) + 1):
            sites = self._sites.setdefault(self._jobs[logs[rows[0]]].identity, Sites())
            sites.add({n: array[rows] for n, array in table.arrays.items()}, texts)

    def _lines(self, job: Job) -> None:
        """Adds the rows for the lines of code of a job. An error becomes a row of problems."""
        sites = self._sites.pop(job.identity, None)
        if sites is None:
            return
        rows = self._rows.setdefault("sites", [])
        try:
            rows += sites.rows(job, self._options.programs)
        except Exception as error:  # of names that a stranger chose
            said = str(error).split("\n")[0]
            self._problem(job, SITES, f"its lines of code: {type(error).__name__}: {said}")
        if len(rows) >= _ROWS:
            self._writer.rows(columns.SITES, rows, self._hide)
            rows.clear()

    def _problems(self, table: Columns, texts: Texts) -> None:
        for log, module, problem in zip(
            *(table.arrays[n].tolist() for n in ("log", "module", "problem"))
        ):
            job = self._jobs[log]
            job.damaged = True
            known = module_by_id(module) if module >= 0 else None
            self._problem(job, known.name if known else "", texts[problem])

    def _impossible(self, job: Job) -> None:
        """Adds rows to problems for values that are null because they are impossible."""
        for (module, counter), one in job.impossible.items():
            more = {"counter": counter, "value": one.raw, "records": one.number}
            self._problem(job, module, one.why, more)

    def _problem(
        self, job: Job, module: str, problem: str, more: dict[str, Any] | None = None
    ) -> None:
        """Adds a row to problems. module: "" if the whole log is meant. more: further columns."""
        row = {
            **job.whose,
            "path": files.shown(job.found.path),
            "log_bytes": job.found.size,
            "module": module,
            "problem": problem,
            **(more or {}),
        }
        self._rows.setdefault("problems", []).append(row)

    def _totals(self, table: Columns) -> None:
        """Stores the needed totals of a module in their jobs; None for one that is not valid."""
        names = self._needed.get(table.module)
        module = module_by_id(table.module)
        if not names or module is None:
            return
        ordered = sorted(names)
        values = zip(*(table.arrays[n].tolist() for n in ordered))
        for log, row in zip(table.arrays["log"].tolist(), values):
            job = self._jobs[log]
            job.totals[module.name] = {
                name: None if job.has_no_sum(module.name, name) else value
                for name, value in zip(ordered, row)
            }

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
        """Adds the rows of a log that was read to its end to those that will be written, except
        those of its records, which are written already."""
        incomplete = job.damaged
        if not job.info:
            self._settle(job, incomplete)
            return
        job.damaged = job.damaged or bool(job.impossible)
        layers = list(layer_rows(job))
        row = job_row(job, layers)
        if self._options.findings:
            row.update(self._found(job))
        row = impossible.of_row(columns.JOBS, row, job.most_bytes, job.impossible)
        self._impossible(job)
        self._lines(job)
        self._rows.setdefault("jobs", []).append(row)
        self._rows.setdefault("layers", []).extend(found for _, found in layers)
        metadata = metadata_rows(job, self._hide)
        self._rows.setdefault(columns.METADATA.name, []).extend(metadata)
        job.info = {}
        self._settle(job, incomplete)

    def _settle(self, job: Job, incomplete: bool) -> None:
        """Decides whether a log that was read is left for the next collection: if its file changed
        since its identity was read, or if the log is incomplete and its file is young."""
        age = time.time() - job.found.changed / 1e9
        try:
            same = files.state(job.found.path) == job.state
        except OSError:
            same = not job.damaged
        if not same or (incomplete and 0 <= age < self._options.settled):
            self._left.append(job.identity)

    def _found(self, job: Job) -> dict[str, Any]:
        """Adds the rows of a log's findings, and returns the columns that they add to the job's
        row; {} after an error, which becomes a row of problems."""
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
        for name, some in rows.items():
            table = columns.tables()[name]
            self._rows.setdefault(name, []).extend(
                impossible.of_row(table, row, job.most_bytes) for row in some
            )
        return more


@dataclass(frozen=True)
class Read:
    """A file that a part may get, with its identity. state: before it was read; None if it could
    not be read."""

    identity: Identity
    found: Found
    state: State | None


def _identities(logs: Sequence[Found], part: Part, most: int) -> list[Read]:
    """Returns the files to read, each log once. Notes further copies of a log in the part. Logs of
    more than `most` bytes are not read."""
    found: dict[Identity, Read] = {}
    copies = []
    for log in logs:
        state = None
        try:
            which, state = files.identity(log.path, most, log.secret)
            if state.owner != log.owner:  # perhaps a folder above became a link
                state, why = None, "Has another owner than when it was found"
                which = files.of_failure(log, why)
        except OSError as error:
            which = files.of_failure(log, error.strerror or str(error))
            # another collector may have removed it since the search
            if files.is_gone(error, log.path):
                part.odd.append((log, which.problem))
                continue
        if odd := files.odd(log, state, which):
            part.odd.append((log, odd))
        part.unread += bool(which.problem)
        if which in found:
            # A file that cannot be read is tried again each time, so the lake does not remember it.
            copies += [] if which.problem else [(which, log)]
        else:
            found[which] = Read(which, log, state)
        part.bytes += log.size
    part.copies = files.rows(copies, ROW)
    part.known = [log for _, log in copies]
    # A log is written when its job ends, so this is mostly the order of the tables.
    return sorted(found.values(), key=lambda one: (one.found.changed, one.found.path))


def make(logs: Sequence[Found], options: Options, known: Any = None) -> Part:
    """Returns a part from these logs. known: returns a mask of the identities that the lake has,
    given their upper and lower halves; these logs are skipped; None: none is. Raises OSError, for
    example if the disk is full; no files remain then."""
    part = Part("", [], np.empty(0, ROW), np.empty(0, ROW))
    read = _identities(logs, part, options.log_bytes)
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
    done = (one for one in (*part.read, *part.known) if one.path not in unread)
    part.at = {one.key: _place(one, hide) for one in done}
    return part


def _place(found: Found, hide: Hide) -> Place:
    who = owners.of(found.path, found.owner)
    owner = hide.text(who.owner) if who.is_user else ""
    return Place(found, hide.text(files.shown(found.path)), owner)


def _fill(part: Part, read: list[Read], options: Options) -> None:
    part.folder = os.path.join(options.lake, storage.WORK, options.run, storage.new_name())
    os.mkdir(part.folder)
    try:
        _Maker(options, part.folder).make(read, part)
    except BaseException:
        shutil.rmtree(part.folder, ignore_errors=True)
        raise
