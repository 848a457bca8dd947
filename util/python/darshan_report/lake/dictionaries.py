"""Shrinks the dictionaries of string columns, so that a written table has only the strings of its
own rows.

A table of selected rows keeps the dictionaries of the larger table. If these were written, a file
would contain the names of all users whose logs were read at the same time, or whose rows were
removed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def _column(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Returns the same column with a dictionary of only the strings that it uses."""
    words = len(array.dictionary)
    places = array.indices.fill_null(words).to_numpy(zero_copy_only=False)
    used = np.zeros(words + 1, bool)
    used[places] = True
    used[words] = False  # null
    if used[:words].all():
        return array
    order = np.cumsum(used, dtype=np.int32) - 1
    mask = places == words
    indices = pa.array(order[places], pa.int32(), mask=mask if mask.any() else None)
    return pa.DictionaryArray.from_arrays(
        indices.cast(array.indices.type), array.dictionary.take(pa.array(np.flatnonzero(used)))
    )


def of_its_rows(table: pa.Table) -> pa.Table:
    """Returns the same rows; each dictionary has only the strings that the rows use."""
    for place, field in enumerate(table.schema):
        if not pa.types.is_dictionary(field.type) or not len(table):
            continue
        column = table.column(place)
        whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if isinstance(whole, pa.ChunkedArray):  # more than one chunk can hold
            whole = pa.chunked_array([_column(c) for c in whole.unify_dictionaries().chunks])
        else:
            whole = _column(whole)
        table = table.set_column(place, field, whole)
    return table
