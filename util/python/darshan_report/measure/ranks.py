"""Sums over the records of each process."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def sums_by_rank(
    ranks: npt.NDArray[np.int64], *amounts: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.float64]]]:
    """The ranks that there are, in order, and for each amount its sum per rank.

    Only of those: how many processes a damaged log says there were is no measure for
    memory.
    """
    there, place = np.unique(ranks, return_inverse=True)
    return there, [np.bincount(place, weights=a, minlength=len(there)) for a in amounts]
