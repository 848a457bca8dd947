"""Statistics of the transfers with one file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..classes import dataclass
from .source import Trace

SIZES = (4 << 10, 64 << 10, 1 << 20, 4 << 20)  # upper bounds of the classes; the last is open


@dataclass(frozen=True)
class Pattern:
    """Statistics of the writes, or of the reads, of one file by some ranks."""

    ranks: int  # number of ranks with such transfers
    count: int  # transfers
    bytes: int
    smallest: int  # bytes of a transfer, as the next two
    median: int
    largest: int
    classes: tuple[float, ...]  # share (0 to 1) of the transfers in each class of SIZES
    consecutive: float  # share of the transfers that begin where the rank's previous transfer ended
    interleaved: float  # share of neighbours in the file that belong to different ranks
    seconds: float  # in calls, summed over ranks


def _ends(part: np.ndarray) -> npt.NDArray[np.int64]:
    ends: np.ndarray = part["offset"] + part["length"]
    return ends


def _interleaved(parts: Sequence[np.ndarray], ranks: Sequence[int]) -> float:
    offsets = np.concatenate([part["offset"] for part in parts])
    owners = np.repeat(np.asarray(ranks), [len(part) for part in parts])
    known = offsets >= 0
    owners = owners[known][np.argsort(offsets[known], kind="stable")]
    return float(np.mean(owners[1:] != owners[:-1])) if len(owners) > 1 else 0.0


def pattern(traces: Sequence[Trace], reads: bool) -> Pattern | None:
    """Returns statistics of the writes (or reads) in the traces of one file; None if there are
    none."""
    used = [(t.rank, t.reads if reads else t.writes) for t in traces]
    used = [(rank, part) for rank, part in used if len(part)]
    if not used:
        return None
    parts = [part for _, part in used]
    lengths = np.concatenate([part["length"] for part in parts])
    follows = sum(int(np.sum(p["offset"][1:] == _ends(p)[:-1])) for p in parts)
    times = np.concatenate([part["end_time"] - part["start_time"] for part in parts])
    edges = np.searchsorted(SIZES, lengths, side="right")
    return Pattern(
        ranks=len({rank for rank, _ in used}),
        count=len(lengths),
        bytes=int(lengths.sum()),
        smallest=int(lengths.min()),
        median=int(np.median(lengths)),
        largest=int(lengths.max()),
        classes=tuple(float(np.mean(edges == i)) for i in range(len(SIZES) + 1)),
        consecutive=follows / max(1, len(lengths) - len(parts)),
        interleaved=_interleaved(parts, [rank for rank, _ in used]),
        seconds=float(np.nansum(times.clip(0))),
    )
