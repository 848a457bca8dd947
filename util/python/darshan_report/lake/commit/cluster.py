"""Orders the rows of a compacted file so that rows of one user or program are neighbours.

A reader skips row groups whose smallest and largest values exclude the values that it needs. Rows
arrive by day. A span is a few row groups of neighbouring days, whose rows are ordered by program
and user. So a query about some days reads the spans of these days, and a query about a program or
user reads a part of each span."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_GROUPS = 8  # row groups of a span
_BYTES = 96 << 20  # of a span in memory, about
_COLUMN = 8  # bytes of a value in memory, about


def _ranks(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Returns integers that have the same order as the strings of a column; null comes first."""
    array = column.combine_chunks()
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    place = np.argsort(pc.sort_indices(array.dictionary).to_numpy())
    codes = pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False)
    found: npt.NDArray[np.int64] = np.append(place, -1)[codes]
    return found


def _ordered(rows: pa.Table, before: str | None) -> pa.Table:
    """Returns the rows ordered by program and user. Rows of the log `before` (None: of no log) come
    first, if they are the first now, and rows of the last log stay last, so that all rows of a log
    stay together."""
    rows = rows.unify_dictionaries()
    logs = _ranks(rows["log"])
    first = np.zeros(len(rows), bool)
    if before is not None and rows["log"][0].as_py() == before:
        first = logs == logs[0]
    edge = np.where(first, -1, np.where(logs == logs[-1], 1, 0))
    day = pc.fill_null(rows["day"].cast(pa.int32()), -(2**31)).to_numpy()
    return rows.take(np.lexsort((logs, day, _ranks(rows["user"]), _ranks(rows["program"]), edge)))


def clustered(parts: Iterable[pa.Table], group: int) -> Iterator[pa.Table]:
    """Yields the rows of all parts in spans (a few row groups each), each ordered by program and
    user. parts: ordered by day and log. group: rows of a row group."""
    held: list[pa.Table] = []
    size, before = 0, None
    for part in parts:
        if not len(part):
            continue
        held.append(part)
        size += len(part)
        if size >= min(_GROUPS * group, _BYTES // (_COLUMN * part.num_columns)):
            yield _ordered(pa.concat_tables(held), before)
            before, held, size = part["log"][-1].as_py(), [], 0
    if held:
        yield _ordered(pa.concat_tables(held), before)
