"""Sums many transfers over time, in lanes: counts, bytes and busy seconds per time bin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...classes import dataclass

_CELLS = 1 << 20  # most cells of one quantity; limits the memory while transfers are added
_MOST, _LEAST = 1 << 14, 1 << 8  # most and fewest bins of a lane


@dataclass(frozen=True, eq=False)
class Cells:
    """The bins that are not empty, ordered by lane, kind of transfer and time. Each array has one
    element per such bin."""

    bins: int  # number of bins in the whole time
    lane: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int64]
    bin: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]  # number of transfers that began in the bin
    bytes: npt.NDArray[np.float64]  # bytes of these transfers
    busy: npt.NDArray[np.float64]  # seconds in transfers, wherever they began


def _fine_enough(rows: int) -> int:
    """Returns the largest number of bins per row that fits into memory, a power of two. rows:
    number of rows."""
    bins = _MOST
    while bins > _LEAST and bins * rows > _CELLS:
        bins //= 2
    return bins


class LaneBins:
    """Sums transfers in time bins. Each lane has a row of bins per kind of transfer."""

    def __init__(self, lanes: int, kinds: int, end: float) -> None:
        """Creates empty bins. lanes, kinds: their numbers. end: end of the last bin, in seconds
        since the start of the run."""
        self._kinds, self._end = kinds, end
        self.bins = _fine_enough(lanes * kinds)
        shape = (lanes * kinds, self.bins)
        self._count, self._bytes, self._busy = (np.zeros(shape) for _ in range(3))
        # For bins that are wholly within transfers, the width is added at the first bin and
        # subtracted behind the last; a running sum then gives the seconds of each bin.
        self._inside = np.zeros((lanes * kinds, self.bins + 1))

    def _place(self, times: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        return np.clip(times * (self.bins / self._end), 0, self.bins - 1).astype("i8")

    def add(
        self,
        lane: int,
        kind: int,
        start: npt.NDArray[np.float64],
        end: npt.NDArray[np.float64],
        length: npt.NDArray[np.float64],
    ) -> None:
        """Adds transfers of one kind to a lane. start, end: seconds since the start of the run; no
        end is before its start. length: bytes."""
        row, width = lane * self._kinds + kind, self._end / self.bins
        first, last = self._place(start), self._place(end)
        count, moved, busy = self._count[row], self._bytes[row], self._busy[row]
        np.add.at(count, first, 1)
        np.add.at(moved, first, length)
        within = first == last
        np.add.at(busy, first[within], (end - start)[within])
        if not within.all():
            over = ~within
            one, two = first[over], last[over]
            np.add.at(busy, one, (one + 1) * width - start[over])
            np.add.at(busy, two, np.minimum(end[over], self._end) - two * width)
            np.add.at(self._inside[row], one + 1, width)
            np.add.at(self._inside[row], two, -width)

    def cells(self, most: int) -> Cells:
        """Returns the sums in bins that are not empty. For that, adds up neighbouring bins (not in
        the object itself) until at most `most` are left, but keeps at least _LEAST / 4 bins per
        row, even if more than `most` are then left."""
        busy = self._busy + np.cumsum(self._inside, axis=1)[:, :-1]
        busy = np.where(busy > 1e-12, busy, 0)
        parts, bins = [self._count, self._bytes, busy], self.bins
        used = (parts[0] > 0) | (parts[2] > 0)
        while bins > _LEAST // 4 and int(used.sum()) > most:
            bins //= 2
            parts = [part.reshape(len(part), bins, 2).sum(axis=2) for part in parts]
            used = (parts[0] > 0) | (parts[2] > 0)
        row, place = np.nonzero(used)
        return Cells(
            bins,
            row // self._kinds,
            row % self._kinds,
            place,
            *(part[row, place] for part in parts),
        )
