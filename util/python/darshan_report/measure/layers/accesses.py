"""The most common transfer sizes of a layer, over all its records."""

from __future__ import annotations

import itertools

import numpy as np

from ...records import Records
from .layers import Layer


def _names(layer: Layer, records: Records) -> list[tuple[str, str]]:
    def pair(place: int) -> tuple[str, str]:
        return layer.counter(f"ACCESS{place}_ACCESS"), layer.counter(f"ACCESS{place}_COUNT")

    pairs = map(pair, itertools.count(1))
    return list(itertools.takewhile(lambda names: all(map(records.module.has, names)), pairs))


def common_sizes(records: Records, layer: Layer, count: int) -> list[tuple[int, int]]:
    """Returns bytes and number of transfers of the `count` most common sizes, the most common
    first. A record lists only its four most common sizes, so the numbers are lower bounds. Returns
    [] if the records have no sizes."""
    names = _names(layer, records)
    if not names or not len(records):
        return []
    sizes = np.concatenate([records[size] for size, _ in names])
    counts = np.concatenate([records[number] for _, number in names])
    listed = counts > 0
    values, place = np.unique(sizes[listed], return_inverse=True)
    if not len(values):
        return []
    sums = np.zeros(len(values), "i8")
    np.add.at(sums, place, counts[listed])
    order = np.lexsort((-values, -sums))[:count]
    return [(int(values[i]), int(sums[i])) for i in order]
