"""Computes how often a program should save its state.

A save costs time; a failure costs the work since the last save. Young showed when the sum of both
is smallest ("A first order approximation to the optimum checkpoint interval", Communications of the
ACM, 1974). A program should save every sqrt(2 C M) seconds, where C is the seconds of a save, and M
the mean seconds between failures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..classes import dataclass
from .saves import Checkpoint


def young(cost: float, between_failures: float) -> float:
    """Returns the interval between saves, in seconds, that loses the least time; 0 if a save takes
    no time. cost: seconds of a save. between_failures: mean seconds between failures."""
    return math.sqrt(2 * max(0.0, cost) * max(0.0, between_failures))


@dataclass(frozen=True)
class Waited:
    """The saves for which the program waited, with all checkpoints treated as one: how many there
    were (rounds), their wall time together, and the mean time between their begins. Times are
    seconds."""

    rounds: int  # saves in one process, of the checkpoint with most saves
    seconds: float  # wall time of all saves
    interval: float  # mean seconds between the begins of successive saves; 0 for one save

    @property
    def cost(self) -> float:
        """The mean seconds of one save."""
        return self.seconds / self.rounds


def waited(rows: Sequence[Checkpoint]) -> Waited | None:
    """Returns the saves for which the program waited, without those that a thread made beside the
    program; None if there are none. All rows are treated as one checkpoint, which is saved as often
    as the row with most saves."""
    some = [row for row in rows if not row.beside]
    if not some:
        return None
    often = max(some, key=lambda row: (row.rounds, row.wall))
    return Waited(often.rounds, sum(row.wall for row in some), often.interval)
