"""Sums amounts of records by rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def summed(place: npt.NDArray[np.intp], amounts: Floats, number: int) -> Floats:
    """Returns `number` sums. place: for each amount, the index of the sum to which it is added."""
    sums: np.ndarray = np.bincount(place, weights=amounts, minlength=number)
    return sums


def sums_by_rank(
    ranks: npt.NDArray[np.int64], *amounts: Floats
) -> tuple[npt.NDArray[np.int64], list[Floats]]:
    """Returns the ranks that have records, ascending, and for each array of amounts its sums per
    rank. Other ranks use no memory, because a damaged log may claim any number of processes."""
    there, place = np.unique(ranks, return_inverse=True)
    return there, [summed(place, a, len(there)) for a in amounts]
