"""Assigns events to tracks, the rows of a viewer in which no event may begin before the previous
one has ended."""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt


def tracks(start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the number of the row (from 0) of each event, such that the events of a row do not
    overlap. Uses as few rows as possible. start, end: times of the events, ordered by start."""
    rows = np.zeros(len(start), "i8")
    if len(start) < 2 or bool((start[1:] >= np.maximum.accumulate(end)[:-1]).all()):
        return rows
    busy: list[tuple[int, int]] = []  # end, row
    free: list[int] = []
    number = 0
    for place, (begin, last) in enumerate(zip(start.tolist(), end.tolist())):
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            row = heapq.heappop(free)
        else:
            row, number = number, number + 1
        rows[place] = row
        heapq.heappush(busy, (last, row))
    return rows
