"""In which order the transfers of a layer came: behind each other, or here and there."""

from __future__ import annotations

from dataclasses import dataclass

from ..records import Totals
from .layers import Layer


@dataclass(frozen=True)
class Order:
    """The reads, or the writes, of a layer: all processes and files."""

    transfers: int
    sequential: int  # begin behind the end of the one before of the same process and file
    consecutive: int  # of these, those that begin where it ended


def order(totals: Totals, layer: Layer, kind: str) -> Order | None:
    """kind: READS or WRITES.  None where the layer or the log does not count it."""
    found = [totals.sum_of(layer.counter(f"{start}{kind}")) for start in ("", "SEQ_", "CONSEC_")]
    if None in found:
        return None
    transfers, sequential, consecutive = (int(n) for n in found if n is not None)
    return Order(transfers, sequential, consecutive)
