"""The sums of lines of code. A line is identified by the text that ask/ready/lines.py shows. All
lines of a log are in one file of the lake, because a log is counted once per line."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# The place of a line is made of these; build is the first digits of the build id.
_PLACE = ("file", "line", "object", "address", "further", "function", "build")
KEYS = ("day", "user", "program", *_PLACE)
_SECONDS = ("seconds", "gap_seconds")
_COUNTS = ("calls", "bytes_read", "bytes_written")
# Columns of the costliest row of the line.
_FIRST = ("called", "through")
NAMES = (*KEYS, "jobs", *_SECONDS, *_COUNTS, "most_seconds", *_FIRST)
COLUMNS = ("day", "user", "program", "log", "number", "file", "line", "object", "address",
           "function", "build_id", *_SECONDS, *_COUNTS, *_FIRST)  # fmt: skip
_TEXTS = ("user", "program", "file", "object", "function", "build", *_FIRST)
_DIGITS = 8
_LARGE = pa.decimal128(38, 0)


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Returns a column of strings as a dictionary array: integers with the order of the strings,
    and the distinct strings."""
    array = column.combine_chunks()
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    texts = pc.cast(array.dictionary, pa.string())
    sorted_texts = pc.unique(texts.take(pc.sort_indices(texts)))
    places = pc.index_in(texts, sorted_texts)
    return pa.DictionaryArray.from_arrays(places.take(array.indices), sorted_texts)


def _short(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Returns the first digits of build ids as a dictionary array: integers, and the distinct
    strings."""
    array = _encoded(column)
    first = pc.utf8_slice_codeunits(array.dictionary, 0, _DIGITS).dictionary_encode()
    return pa.DictionaryArray.from_arrays(first.indices.take(array.indices), first.dictionary)


def sums_of(file: pq.ParquetFile) -> pa.Table:
    """Returns the sums of one file of the table sites: a row for each day, user, program and line
    of code."""
    groups = (file.read_row_group(n, list(COLUMNS)) for n in range(file.num_row_groups))
    rows = pa.concat_tables(groups).unify_dictionaries()
    texts = {name: _encoded(rows[name]) for name in (*_TEXTS, "log") if name != "build"}
    texts["build"] = _short(rows["build_id"])
    # Texts are grouped as numbers: many rows have the same long paths.
    values: dict[str, Any] = {name: text.indices for name, text in texts.items()}
    has_file, nothing = pc.is_valid(rows["file"]), pc.is_null(rows["object"])
    values["object"] = pc.if_else(has_file, None, values["object"])
    values["address"] = pc.if_else(has_file, None, rows["address"])
    values["further"] = pc.and_(pc.and_(pc.invert(has_file), nothing), pc.is_null(rows["number"]))
    values |= {name: rows[name] for name in ("day", "line", *_SECONDS)}
    values |= {name: pc.cast(rows[name], _LARGE) for name in _COUNTS}
    found = _added(pa.table(values))
    columns = {
        name: pa.DictionaryArray.from_arrays(
            found[name].combine_chunks(), texts[name].dictionary
        ).dictionary_decode() if name in _TEXTS else found[name]
        for name in NAMES
    }  # fmt: skip
    return pa.table(columns).sort_by("day")


def _added(rows: pa.Table) -> pa.Table:
    """Returns the sums of rows whose strings are encoded as integers: one row for each combination
    of KEYS."""
    order = [(name, "descending") for name in ("seconds", *_FIRST)]
    first = pc.ScalarAggregateOptions(skip_nulls=False)
    whole = pc.ScalarAggregateOptions(skip_nulls=True, min_count=1)  # of nulls alone: null
    made = rows.sort_by(order).group_by(list(KEYS), use_threads=False).aggregate([
        ("log", "count_distinct"), *((name, "sum", whole) for name in (*_SECONDS, *_COUNTS)),
        ("seconds", "max"), *((name, "first", first) for name in _FIRST),
    ])  # fmt: skip
    names = ("log_count_distinct", *(f"{n}_sum" for n in (*_SECONDS, *_COUNTS)), "seconds_max",
             *(f"{n}_first" for n in _FIRST))  # fmt: skip
    return made.select([*KEYS, *names]).rename_columns(list(NAMES))
