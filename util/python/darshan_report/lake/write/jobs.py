"""The rows of jobs and layers, from a log's job record and the totals of its modules."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ...classes import dataclass
from ...measure.layers.layers import LAYERS, SIZES, Layer
from ...measure.processes.started import asked_for
from ..columns import has_bytes
from ..read.batch import Columns, Texts
from ..read.files import Found, Identity, State, shown
from . import impossible, owners
from .hide import Hide

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_ENDS = {"open": ("open", "create", "lookup"), "read": ("read",), "write": ("write",)}
_TIMES = (("start", "started"), ("end", "ended"))
Totals = Mapping[str, int | float | None]


@dataclass
class Job:
    """A log while its rows are made: the file, its identity, user and day, and the totals of its
    modules so far. info: what the log says about its job; {} until it is read, and after its rows
    are made. damaged: parts of it cannot be read, or it has impossible values. state: of the file
    before it was read. user, program: as the tables have them. who: the owner. records,
    record_bytes: number and size of the log's records so far. most_bytes: the largest number of
    bytes that the job can have moved."""

    identity: str
    found: Found
    info: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, dict[str, Any]] = field(default_factory=dict)  # by module
    damaged: bool = False
    state: State | None = None
    records: int = 0
    record_bytes: int = 0
    hosts: set[str] = field(default_factory=set)
    program: str = ""
    user: str = ""
    who: owners.Owner = field(default_factory=owners.Owner)
    day: datetime.date | None = None
    most_bytes: int = impossible.MOST_BYTES
    impossible: impossible.Values = field(default_factory=dict)
    unknown: set[tuple[str, str]] = field(default_factory=set)  # modules and counters

    def has_no_sum(self, module: str, counter: str) -> bool:
        """Returns whether a counter has no valid total, because a value of it is impossible or
        missing in a record."""
        return (module, counter) in self.impossible or (module, counter) in self.unknown

    @property
    def month(self) -> str:
        """The month of the log's partition, "2026-11"; "unknown" if the log has no day."""
        return self.day.strftime("%Y-%m") if self.day else "unknown"

    @property
    def whose(self) -> dict[str, Any]:
        """The columns with which every table begins, by their names."""
        return {"log": self.identity, "day": self.day, "user": self.user, "program": self.program}


def _moment(seconds: int, nanoseconds: int) -> datetime.datetime | None:
    if not impossible.is_moment(seconds):
        return None
    part = nanoseconds // 1000 if 0 <= nanoseconds < 1_000_000_000 else 0
    return _EPOCH + datetime.timedelta(seconds=seconds, microseconds=part)


def _times(job: Job, info: dict[str, Any]) -> None:
    """Stores the begin, the end and the run time of a job in `info`. An impossible begin or end
    becomes None, and the run time then -1."""
    for name, column in _TIMES:
        seconds = info[f"{name}_sec"]
        info[column] = _moment(seconds, info[f"{name}_nsec"])
        if seconds and info[column] is None:
            impossible.note(job.impossible, "", column, impossible.MOMENT, seconds)
    run = info["run_time"]
    lacks = any(info[f"{n}_sec"] and info[c] is None for n, c in _TIMES)
    if lacks or (run >= 0 and not impossible.is_span(run)):
        info["run_time"] = -1.0


def _processes(job: Job, info: dict[str, Any]) -> None:
    """Stores the number of processes in `info`: as `nprocs` for limits, and as `ranks` for the
    tables. If the log's number is impossible, these are 1 and None."""
    number = info["nprocs"]
    info["ranks"] = number
    if not 0 <= number <= impossible.MOST_PROCESSES:
        why = impossible.NEGATIVE if number < 0 else impossible.LARGE
        impossible.note(job.impossible, "", "nprocs", why, number)
        info["nprocs"], info["ranks"] = 1, None


def begin(
    job: Job, logs: Columns, texts: Texts, row: int, hide: Hide, *, rate: int = impossible.RATE
) -> None:
    """Fills a job with what its log says about it. logs: the columns that describe logs, in which
    `row` is that of the job. rate: largest possible bytes per second of a process."""
    info: dict[str, Any] = {}
    for name, array in logs.arrays.items():
        value = array[row].item()
        info[name] = texts[value] if name in logs.texts else value
    _times(job, info)
    _processes(job, info)
    job.most_bytes = impossible.most_bytes(info["nprocs"], info["run_time"], rate)
    info["metadata"] = dict(
        line.partition("=")[::2] for line in info["metadata"].split("\n") if line
    )
    job.info = info
    job.day = info["started"].date() if info["started"] else job.day
    owner = job.state.owner if job.state else job.found.owner
    job.who = owners.of(job.found.path, owner, info["uid"], info["command"])
    job.user = hide.text(job.who.user or str(info["uid"]))
    program = asked_for(info["command"]) if info["command"].strip() else ""
    job.program = hide.text(program)


def _number(value: Any) -> Any:
    """Returns a value; None if it is negative or not finite, because that means unknown."""
    if value is None or value < 0 or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def _plus(*values: Any) -> Any:
    known = [v for v in values if v is not None]
    return sum(known) if known else None


@dataclass(frozen=True)
class _Sources:
    """The columns of a layer in the table of layers, each with the names of the totals that it is
    the sum of."""

    layer: Layer
    columns: tuple[tuple[str, tuple[str, ...]], ...]


def _calls(layer: Layer, kind: str) -> tuple[str, ...]:
    """Returns the counters of all operations of one kind, for example of all sorts of reads."""
    return tuple(
        layer.counter(name)
        for label, plus, _ in layer.operations
        if label.split()[-1] in _ENDS[kind]
        for name in plus
    )


def _sources(layer: Layer) -> _Sources:
    """Returns the columns that a layer has in the table of layers, and their totals."""
    found = [(f"{kind}s", _calls(layer, kind)) for kind in ("open", "read", "write")]
    if has_bytes(layer):
        found += [(n, (layer.counter(n.upper()),)) for n in ("bytes_read", "bytes_written")]
    times = {
        "read": ["F_READ_TIME"],
        "write": ["F_WRITE_TIME"],
        "meta": ["F_META_TIME", "F_WAIT_TIME"],
    }
    found += [(f"{k}_seconds", tuple(map(layer.counter, names))) for k, names in times.items()]
    for kind in ("READ", "WRITE"):
        for end, _ in SIZES:
            name = layer.counter(f"SIZE_{kind}_{layer.size_names}{end}")
            found.append((f"{kind.lower()}s_{end.lower()}", (name,)))
    return _Sources(layer, tuple(found))


_SOURCES = tuple(map(_sources, LAYERS))


def needed(layer: Layer) -> set[str]:
    """Returns the names of a layer's totals that its row and the job's row use."""
    one = next(s for s in _SOURCES if s.layer is layer)
    return {name for _, names in one.columns for name in names}


def _row(sources: _Sources, totals: Totals) -> dict[str, Any]:
    """Returns the row of one layer of a log for the table of layers, without the first columns.
    totals: sums of the module's counters."""
    row: dict[str, Any] = {"layer": sources.layer.module, "records": totals["records"]}
    for column, names in sources.columns:
        if len(names) == 1:
            row[column] = _number(totals.get(names[0]))
        else:
            row[column] = _plus(*(_number(totals.get(name)) for name in names))
    return row


def layer_rows(job: Job) -> Iterator[tuple[Layer, dict[str, Any]]]:
    """Yields the layers that a log has, each with its row in the table of layers, from the
    application downwards."""
    for sources in _SOURCES:
        totals = job.totals.get(sources.layer.module)
        if totals:
            yield sources.layer, {**job.whose, **_row(sources, totals)}


def job_row(job: Job, layers: list[tuple[Layer, dict[str, Any]]]) -> dict[str, Any]:
    """Returns the row of a log for the table of jobs. layers: those of layer_rows(), which are
    added up."""
    info = job.info
    run = info["run_time"] if math.isfinite(info["run_time"]) and info["run_time"] >= 0 else None
    process = job.totals.get("PROCESS")
    ranks = max(1, info["nprocs"])
    row: dict[str, Any] = {
        **job.whose,
        "path": shown(job.found.path),
        "owner": job.who.owner or None,
        "named": job.who.named or None,
        "forged": job.who.forged,
        "log_bytes": job.found.size,
        "uid": info["uid"],
        "job_id": info["job_id"],
        "command": info["command"],
        "started": info["started"],
        "ended": info["ended"],
        "run_seconds": run,
        "nprocs": info["ranks"],
        "processes": process["PROCESS_COUNT"] if process else info["ranks"],
        # The findings supply the processes' run times (findings.py).
        "process_seconds": None if run is None or process or info["ranks"] is None else run * ranks,
        "io_seconds": None,
        "all_layers_seconds": None,
        "hosts": len(job.hosts) or None,
        "library": info["metadata"].get("lib_ver"),
        "format": info["version"],
        "swapped": bool(info["swapped"]),
        "partial": bool(info["partial"] or info["annex"] or job.damaged or run is None),
        "partial_modules": info["partial"],
    }
    base = [found for layer, found in layers if layer.base]
    row["files"] = sum(found["records"] for found in base)
    for name in ("bytes_read", "bytes_written", "read_seconds", "write_seconds", "meta_seconds"):
        row[name] = _plus(*(found.get(name) for found in base))
    for layer, found in layers:
        prefix = layer.prefix.lower()
        row[f"bytes_read_{prefix}"] = found.get("bytes_read")
        row[f"bytes_written_{prefix}"] = found.get("bytes_written")
        row[f"seconds_{prefix}"] = _plus(
            *(found[f"{kind}_seconds"] for kind in ("read", "write", "meta"))
        )
    return row


def identified(found: Found, identity: Identity, hide: Hide, state: State | None = None) -> Job:
    """Returns a Job for a log that will be read. The time of its file supplies the day, which the
    log may lack; the file's owner or name supplies the user. state: of the file, once it was read;
    None: not yet."""
    changed = _moment(found.changed // 10**9, 0)
    job = Job(identity.text, found, state=state)
    job.day = changed.date() if changed else None
    job.who = owners.of(found.path, state.owner if state else found.owner)
    job.user = hide.text(job.who.user)
    return job
