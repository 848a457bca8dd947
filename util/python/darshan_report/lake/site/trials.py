"""Reads results of `darshan try` into the table trials.

A trial is made after its job, mostly after the log was collected. So a result names its log by the
hash of its content, and its rows get the columns of the job that the lake has for this log. Any
user can write a file with the name of a result, about any log, so only results of the log's owner,
or of root, count."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...classes import dataclass
from ...report import tried
from ...show.text import visible
from ..columns import TRIALS
from ..commit.commits import Snapshot
from ..write import impossible, owners
from ..write.hide import Hide
from .replace_rows import replace_rows

# A later trial of the same remedy for the same log replaces an earlier one.
_KEY = ("log", "remedy")
_OF_JOB = ("log", "day", "user", "program", "owner")
_CONTENT = re.compile(r"[0-9a-f]{64}")
_REMEDY, _RULE = re.compile(r"[a-z0-9+-]{1,200}"), re.compile(r"[a-z0-9-]{1,80}")
_LOG = 32  # digits of a hash by which tables name a log
_LONGEST_HOST = 256
_DAY = datetime.timedelta(days=1)  # a log's day may be of another time zone
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MEASURED = (tried.HELPED, tried.NOT_HELPED, tried.MEASURED)  # by complete pairs
_RESULTS = (*_MEASURED, tried.CHANGED)
Row = dict[str, Any]


@dataclass
class Sums:
    """The counts of one search for results. rows: that were added to the table."""

    rows: int = 0
    foreign: int = 0  # results of a user who does not own the log
    without_job: int = 0  # results whose log the lake does not have


@dataclass
class _Result:
    """The content of one result file. log: identity of the log. owner: user id of the file's owner.
    rows: of its trials, without the columns of the job."""

    log: str
    day: datetime.date  # on which the job began
    owner: int
    rows: list[Row]


def _moment(row: Row) -> datetime.datetime | None:
    seconds = tried.number(row, "time")
    if seconds is None or not impossible.is_moment(int(seconds)):
        return None
    return _EPOCH + datetime.timedelta(microseconds=round(seconds * 1e6))


def _positive(row: Row, name: str) -> float | None:
    value = tried.number(row, name)
    return value if value is not None and 0 < value < impossible.MOST_SECONDS else None


def _mean(row: Row, name: str) -> float | None:
    """Returns the mean of a row's list of seconds; None if the list is missing, or if one of them
    cannot be the time of a run. name: of the list."""
    values = row.get(name)
    if not isinstance(values, list) or not values:
        return None
    known = [_positive({name: value}, name) for value in values]
    seconds = [value for value in known if value is not None]
    return sum(seconds) / len(seconds) if len(seconds) == len(known) else None


def _row(row: Row) -> Row | None:
    """Returns a trial as a row of the table, without the columns of the job; None if a needed value
    is missing or impossible. row: the trial in the result file."""
    remedy, rule, result = (str(row.get(name, "")) for name in ("remedy", "finding", "result"))
    moment, host = _moment(row), row.get("host")
    if moment is None or not _REMEDY.fullmatch(remedy) or len(result) > 40:
        return None
    without, with_it = _mean(row, "baseline_seconds"), _mean(row, "seconds")
    low, ratio = _positive(row, "low"), _positive(row, "ratio")
    measured = result in _MEASURED
    known = measured and None not in (without, with_it, low, ratio)
    if measured and not known:
        return None
    pairs = row.get("baseline_seconds")
    return {
        "tried": moment,
        "host": visible(host[:_LONGEST_HOST]) if isinstance(host, str) and host else None,
        "remedy": remedy,
        "rule": rule if _RULE.fullmatch(rule) else None,
        "result": visible(result),
        "pairs": len(pairs) if known and isinstance(pairs, list) else None,
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": _positive(row, "high"),
        "baseline_seconds": without,
        "remedy_seconds": with_it,
        "gain_seconds": without - with_it if without and with_it else None,
        "same_output": measured if result in _RESULTS else None,
        "compared_in_part": row.get("compared_in_part") is True if result in _RESULTS else None,
        "helped": result == tried.HELPED and low is not None and low >= tried.LEAST_RATIO,
    }


def _result(path: str) -> _Result | None:
    """Returns the content of a result file; None if it is invalid, has no trials or does not name
    its log."""
    try:
        whole, owner = tried.read_result(path)
        log = str(whole.get("log_sha256", ""))
        begun = int(float(str(whole.get("log", "")).rpartition(" ")[2]))
    except (OSError, ValueError, OverflowError):
        return None
    if not _CONTENT.fullmatch(log) or not impossible.is_moment(begun):
        return None
    day = (_EPOCH + datetime.timedelta(seconds=begun)).date()
    rows = [row for row in map(_row, tried.results_of(whole)) if row is not None]
    return _Result(log[:_LOG], day, owner, rows) if rows else None


def _rows_of(
    snapshot: Snapshot, table: str, names: Iterable[str], results: list[_Result]
) -> Iterator[Row]:
    """Yields the rows of a lake's table that belong to the logs of the results. names: columns to
    read."""
    logs = pa.array({one.log for one in results}, pa.string())
    first = str(min(one.day for one in results) - _DAY)
    last = str(max(one.day for one in results) + _DAY)
    for file in snapshot.of(table):
        if file.first and (file.first > last or file.last < first):
            continue
        with pq.ParquetFile(os.path.join(snapshot.path, file.path)) as source:
            there = [name for name in names if name in source.schema_arrow.names]
            for number in range(source.num_row_groups):
                group = source.read_row_group(number, columns=there)
                mask = pc.is_in(group["log"].cast(pa.string()), value_set=logs)
                yield from group.filter(mask).to_pylist()


def _newest(snapshot: Snapshot, results: list[_Result]) -> dict[tuple[str, str], Any]:
    """Returns when the newest trials that the lake already has were made, by log and remedy."""
    rows = _rows_of(snapshot, TRIALS.name, ("log", "remedy", "tried"), results)
    return {(row["log"], row["remedy"]): row["tried"] for row in rows}


def _joined(snapshot: Snapshot, results: list[_Result], hide: Hide, sums: Sums) -> Iterator[Row]:
    """Yields the rows that the lake does not have yet, with the columns of their jobs. sums: counts
    results that are not used."""
    jobs = {row["log"]: row for row in _rows_of(snapshot, "jobs", _OF_JOB, results)}
    known = _newest(snapshot, results)
    for one in results:
        job = jobs.get(one.log)
        if job is None or job["day"] is None:
            sums.without_job += 1
            continue
        if one.owner and hide.text(owners.name(one.owner)) != job.get("owner"):
            sums.foreign += 1
            continue
        whose = {name: job[name] for name in _OF_JOB if name != "owner"}
        for row in one.rows:
            key, time = (one.log, row["remedy"]), row["tried"]
            if key not in known or known[key] < time:
                known[key] = time
                yield {**whose, **hide.row(TRIALS, row)}


def collect(lake: str, paths: Iterable[str], hide: Hide) -> Sums:
    """Adds the trials in these result files to the lake, where they replace earlier trials of the
    same remedy and log. Ignores invalid files. Returns the counts. Raises LakeError or OSError."""
    sums = Sums()
    results = [one for one in map(_result, paths) if one is not None]
    while results:
        sums.foreign = sums.without_job = 0
        snapshot = Snapshot(lake)
        with contextlib.suppress(FileNotFoundError):  # another process rewrote a file: look again
            rows = list(_joined(snapshot, results, hide, sums))
            sums.rows = replace_rows(lake, TRIALS, rows, _KEY).rows if rows else 0
            break
    return sums
