"""Sums over the records of each process."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def sums_by_rank(
    ranks: npt.NDArray[np.int64], *amounts: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.float64]]]:
    """Returns the ranks that there are, in order, and for each amount its sum per rank.

    Other ranks get no memory, because a damaged log may have any number of processes.
    """
    there, place = np.unique(ranks, return_inverse=True)
    return there, [np.bincount(place, weights=a, minlength=len(there)) for a in amounts]
