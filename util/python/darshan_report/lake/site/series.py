"""Reads how many bytes servers moved in each interval, from CSV or Parquet, into the table
server_load."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from ...classes import dataclass
from ..columns import SERVER_LOAD
from ..commit.storage import LakeError
from ..write import arrow, impossible
from ..write.hide import Hide
from .replace_rows import Replaced, replace_table

_KEY = ("mount", "target", "began")
_VALUES = {"read": "bytes_read", "write": "bytes_written", "operations": "operations"}
_MOST_FILE, _MOST_ROWS = 1 << 30, 20_000_000
_LONGEST = 86_400.0  # seconds of an interval
_MICRO = 1e6


@dataclass(frozen=True)
class Form:
    """How the columns of a time series are interpreted: their names, the unit and kind of their
    values, and the interval. mount: the mount point of all rows, for a file without a column with
    it."""

    names: Mapping[str, str] = field(default_factory=dict)  # columns of the file, by ours
    mount: str | None = None  # of a file without such a column
    values: str = "amounts"  # or rates (in a second) or totals (since a start)
    unit: int = 1  # bytes
    interval: float | None = None  # seconds; None: the distance between the times


def _csv(path: str, names: list[str]) -> tuple[pa.Table, int]:
    """Returns the columns of a CSV file as strings, and how many rows were left out, because they
    have another number of fields than the first row. names: of the columns to read."""
    options = csv.ConvertOptions(
        include_columns=names, column_types={n: pa.string() for n in names}
    )
    torn: list[int] = []

    def skip(row: csv.InvalidRow) -> str:
        torn.append(row.actual_columns)
        return "skip"

    parse = csv.ParseOptions(invalid_row_handler=skip)
    return csv.read_csv(path, parse_options=parse, convert_options=options), len(torn)


def _read(path: str, form: Form) -> tuple[dict[str, pa.ChunkedArray], int]:
    """Returns the columns of a CSV or Parquet file by the lake's names, and how many rows of a CSV
    file were left out, because they have another number of fields. Raises LakeError if the file is
    too large, lacks a column or has another form."""
    torn = 0
    ours = [*form.names]
    theirs = [form.names[name] for name in ours]
    try:
        if os.path.getsize(path) > _MOST_FILE:
            raise LakeError(f"cannot read {path}: more than 1 GiB; divide the file by days")
        with open(path, "rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        if is_parquet:
            if pq.read_metadata(path).num_rows > _MOST_ROWS:
                raise LakeError(
                    f"cannot read {path}: more than {_MOST_ROWS:,} rows; divide the file by days"
                )
            there = pq.read_schema(path).names
            lacks = [name for name in theirs if name not in there]
            if lacks:
                raise LakeError(f"{path} has no column {lacks[0]} (--servers-columns)")
            found = pq.read_table(path, columns=theirs, partitioning=None)
        else:
            found, torn = _csv(path, theirs)
    except (pa.ArrowException, KeyError, ValueError) as error:
        words = str(error).partition("\n")[0]
        raise LakeError(f"cannot read {path}: {words}") from None
    return {name: found[of] for name, of in zip(ours, theirs)}, torn


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    return [None if v is None else str(v) for v in column.to_pylist()]


def _moment(text: str) -> float:
    """Returns the time that a text names, in seconds since 1970; NaN for other text. The text is
    this number, or a date and time, in the zone of this process if it names none."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        found = pa.scalar(text.strip()).cast(pa.timestamp("us", tz="UTC"))
        return float(found.value) / _MICRO
    except pa.ArrowInvalid:
        pass
    try:
        return time.mktime(time.strptime(re.sub("T", " ", text.strip()[:19]), "%Y-%m-%d %H:%M:%S"))
    except (ValueError, OverflowError):
        return float("nan")


def _times(column: pa.ChunkedArray) -> np.ndarray:
    """Returns a column as seconds since 1970; NaN for a cell that is no time. Timestamps of Parquet
    without a zone are in UTC."""
    if pa.types.is_timestamp(column.type):
        micros = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        return np.asarray(micros.to_numpy(), "f8") / _MICRO
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), "f8")
    encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    known = np.array([_moment(text or "") for text in encoded.dictionary.to_pylist()] + [np.nan])
    places = pc.fill_null(encoded.indices, len(known) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(known[places], "f8")


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    """Returns the values of a column as numbers; NaN for a cell that is not a number."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), "f8")

    def number(text: str | None) -> float:
        try:
            return float(text or "")
        except ValueError:
            return float("nan")

    return np.array([number(text) for text in _texts(column)], "f8")


def _groups(*columns: list[str | None]) -> np.ndarray:
    """Returns a number for each row, which is equal for rows with equal strings in all columns."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(row, len(known)) for row in zip(*columns)], "i8")


def _intervals(times: np.ndarray, groups: np.ndarray, form: Form) -> np.ndarray:
    """Returns the length of each row's interval in seconds: that of the form or, if it has none or
    values are totals, the distance to the next row of the group. The last row of a group then has
    the median of all distances, or NaN if values are totals. times: ascending within each group."""
    if form.interval is not None and form.values != "totals":
        return np.full(len(times), form.interval)
    found = np.full(len(times), np.nan)
    if len(times) > 1:
        same = groups[1:] == groups[:-1]
        found[:-1][same] = (times[1:] - times[:-1])[same]
    if form.values != "totals":
        usual = np.nanmedian(found) if np.isfinite(found).any() else np.nan
        last = np.append(groups[1:] != groups[:-1], True) if len(groups) else found.astype(bool)
        found[last] = usual
    return found


def _amounts(
    values: np.ndarray, seconds: np.ndarray, groups: np.ndarray, form: Form, unit: int
) -> np.ndarray:
    """Returns the bytes, or operations, of each interval; NaN if unknown. seconds: length of each
    interval. groups: number of each row's mount point and target; rows of a group follow each
    other."""
    if form.values == "rates":
        return np.asarray(values * seconds * unit)
    if form.values == "amounts":
        return np.asarray(values * unit)
    # Negative where a server began again from 0.
    found: np.ndarray = np.full(len(values), np.nan)
    if len(values) > 1:
        same = groups[1:] == groups[:-1]
        found[:-1][same] = (values[1:] - values[:-1])[same] * unit
    return found


def _integers(amounts: np.ndarray, most: int) -> pa.Array:
    """Returns the amounts as integers; null for one that is negative, not finite or above
    `most`."""
    with np.errstate(invalid="ignore"):
        bad = ~np.isfinite(amounts) | (amounts < 0) | (amounts > most)
    return pa.array(np.where(bad, 0, np.round(amounts)).astype("i8"), mask=bad)


class Refused(NamedTuple):
    """How many rows of a file were not used, because of their time or of their interval. Each row
    is counted once."""

    times: int = 0  # rows without a time, with an impossible one, or with other fields
    intervals: int = 0  # rows whose interval is unknown, 0 or above _LONGEST


def table(path: str, form: Form, hide: Hide) -> tuple[pa.Table, Refused]:
    """Returns the rows of a file in the form of the table server_load, and how many rows were not
    used. Raises OSError or LakeError if the file cannot be read, or has too many rows."""
    found, torn = _read(path, form)
    rows = len(found["time"])
    if rows > _MOST_ROWS:
        raise LakeError(
            f"cannot read {path}: more than {_MOST_ROWS:,} rows; divide the file by days"
        )
    nothing: list[str | None] = [None] * rows
    mounts = _texts(found["mount"]) if "mount" in found else [form.mount] * rows
    targets = _texts(found["target"]) if "target" in found else nothing
    times = _times(found["time"])
    low, high = impossible.FIRST, time.time() + 86_400
    good = np.flatnonzero((times >= low) & (times <= high))
    groups = _groups(mounts, targets)
    order = good[np.lexsort((times[good], groups[good]))]
    times, groups = times[order], groups[order]
    seconds = _intervals(times, groups, form)
    seconds = np.where((seconds > 0) & (seconds <= _LONGEST), seconds, np.nan)
    kept = np.flatnonzero(np.isfinite(seconds))
    places = order[kept]
    columns: dict[str, pa.Array] = {
        "mount": arrow.of_values([hide.text(mounts[p] or "") or None for p in places]),
        "target": arrow.of_values([targets[p] for p in places]),
        "began": pa.array((times[kept] * _MICRO).astype("i8")).cast(pa.timestamp("us", tz="UTC")),
        "seconds": pa.array(seconds[kept]),
    }
    columns["day"] = columns["began"].cast(pa.date32())
    for name, column in _VALUES.items():
        if name in found:
            is_bytes = name != "operations"
            values = _numbers(found[name])[order]
            amounts = _amounts(values, seconds, groups, form, form.unit if is_bytes else 1)
            most = impossible.MOST_BYTES if is_bytes else impossible.MOST_COUNT
            columns[column] = _integers(amounts[kept], most)
    schema = arrow.schema(SERVER_LOAD)
    arrays = [columns[f.name] if f.name in columns else pa.nulls(len(kept), f.type) for f in schema]
    # The last total of a series begins no interval.
    ends = len(np.unique(groups)) if form.values == "totals" else 0
    refused = Refused(torn + rows - len(good), max(0, len(order) - len(kept) - ends))
    return pa.table(arrays, schema=schema), refused


def collect(lake: str, path: str, form: Form, hide: Hide) -> tuple[Replaced, Refused]:
    """Adds the intervals of a file to the lake, where they replace those with the same mount point,
    target and begin. Returns how many were added and replaced, and how many rows were not used.
    Raises LakeError, or OSError if the file cannot be read."""
    rows, refused = table(path, form, hide)
    return (replace_table(lake, SERVER_LOAD.name, rows, _KEY) if len(rows) else Replaced()), refused
