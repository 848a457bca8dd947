"""Writes a query result as bytes, in batches: as text for a terminal, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .format_result import lines
from .stream import Stream

_AT_ONCE = 4096  # rows
_GROUP = 32 << 20  # bytes of a row group in Parquet
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")  # integers of more than 64 bits are texts


def _plain(value: Any) -> Any:
    """Returns a value as a type that JSON has."""
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return _number(value)


def _number(value: Any) -> float | int | None:
    if isinstance(value, decimal.Decimal) and value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if number - number == 0 else None  # neither infinite nor NaN


def _cell(value: Any) -> Any:
    """Returns a value as a cell of CSV, which is empty for None. Spreadsheets run text as a formula
    if it begins with certain characters, and users choose the names of files and programs, so such
    text gets an apostrophe in front."""
    if value is None:
        return ""
    plain = _plain(value)
    if isinstance(plain, str) and _FORMULA.match(plain) and not _NUMBER.fullmatch(plain):
        return f"'{plain}"
    return plain


def _csv(answer: Stream) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, answer.columns))
    rows = iter(answer)
    while True:
        yield out.getvalue()
        out.seek(0)
        out.truncate()
        some = list(itertools.islice(rows, _AT_ONCE))
        if not some:
            return
        writer.writerows(map(_cell, row) for row in some)


def _json(answer: Stream) -> Iterator[str]:
    before = "[\n "
    for row in answer:
        named = dict(zip(answer.columns, map(_plain, row)))
        text = json.dumps(named, indent=1, ensure_ascii=False, allow_nan=False)
        yield before + text.replace("\n", "\n ")
        before = ",\n "
    yield "[]\n" if before[0] == "[" else "\n]\n"


def _parquet(answer: Stream, file: IO[bytes]) -> None:
    some: list[pa.RecordBatch] = []
    size = 0
    with pq.ParquetWriter(file, answer.schema, compression="zstd") as made:
        for batch in answer.batches():
            some.append(batch)
            size += batch.nbytes
            if size >= _GROUP:
                made.write_table(pa.Table.from_batches(some))
                some, size = [], 0
        if some:
            made.write_table(pa.Table.from_batches(some))


def write(answer: Stream, form: str, file: IO[bytes]) -> None:
    """Writes the whole result to an open file. form: csv, json, table (text) or parquet. Raises
    LakeError if the query fails meanwhile."""
    if form == "parquet":
        _parquet(answer, file)
        return
    texts: dict[str, Callable[[], Iterator[str]]] = {
        "csv": lambda: _csv(answer),
        "json": lambda: _json(answer),
        "table": lambda: lines(answer.columns, answer) if answer.columns else iter(()),
    }
    for text in texts[form]():
        file.write(text.encode("utf-8", "backslashreplace"))
