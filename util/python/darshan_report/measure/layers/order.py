"""How much a layer's transfers were in the order of the file: one after another, or at random
offsets."""

from __future__ import annotations

from ...classes import dataclass
from ...records import Totals
from .layers import Layer


@dataclass(frozen=True)
class Order:
    """The number of reads, or of writes, of a layer over all processes and files, and how many of
    them were in order. sequential: transfers that begin at or behind the end of the previous one of
    the same process and file. consecutive: those of them that begin exactly there."""

    transfers: int
    # Transfers that begin at or behind the end of the previous one, of the same process and file.
    sequential: int
    consecutive: int  # sequential transfers that begin exactly at that end


def order(totals: Totals, layer: Layer, kind: str) -> Order | None:
    """Returns how many transfers of a layer were sequential, and how many consecutive; None if the
    layer or the log does not count them. totals: sums over all records of the layer. kind: READS or
    WRITES."""
    found = [totals.sum_of(layer.counter(f"{start}{kind}")) for start in ("", "SEQ_", "CONSEC_")]
    if None in found:
        return None
    transfers, sequential, consecutive = (int(n) for n in found if n is not None)
    return Order(transfers, sequential, consecutive)
