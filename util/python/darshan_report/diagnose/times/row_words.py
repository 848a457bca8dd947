"""The texts of a notice about one row of the ledger (such as reading, or opening files), and
sentences that several such notices use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...classes import dataclass
from ...units import plural, seconds, share
from ..facts import Facts
from ..finding import Evidence, Remedy
from ..table import Table
from .cpu_wait import real_part

WHOLE = share(1.0, 1.0)


@dataclass(frozen=True)
class Told:
    """The texts and the potential saving of a notice about one row of the ledger, that is, one kind
    of activity on which processes spent much time."""

    title: str
    sentence: str
    lost: float  # seconds that a change may save
    basis: str  # how `lost` was estimated
    remedy: Remedy  # empty: no advice applies
    left: str  # sentences about what is left to gain if no advice applies
    evidence: tuple[Evidence, ...]
    covers: frozenset[int] = frozenset()  # ids of the records that took the time
    is_hint: bool = False  # the remedy helps only programs that use a part of the bytes


Tell = Callable[[Facts, str, float], "Told | None"]


def of_run(facts: Facts, spent: float) -> str:
    """Returns text on time in I/O as a part of the run, per process of an MPI job: "1.2 s of 4.0 s
    (30 %)". spent: seconds, summed over processes."""
    stake = facts.stake(spent, "")
    each = " per process" if stake.ranks > 1 else ""
    if stake.run > stake.of_run:  # the calls themselves waited for a processor
        part = share(stake.run, facts.run_time)
        waits = "with waits for a processor"
        return f"{seconds(stake.run)} of {seconds(facts.run_time)}{each} ({part}, {waits})"
    whole = share(stake.run, stake.of_run)
    busy = ", without the waits for a processor" if real_part(facts) < 1 else ""
    return f"{seconds(stake.run)} of {seconds(stake.of_run)}{each} ({whole}{busy})"


def largest(facts: Facts, table: Table, time: np.ndarray, first: int) -> str:
    """Returns a sentence with the file that took most of the time, and the number of other files.
    time: seconds of each file of the table. first: index of that file."""
    name = facts.name(int(table.ids[first]))
    others = int((time > 0).sum()) - 1
    part = share(float(time[first]), float(time.sum()))
    if others <= 0:
        return f"The file is {name}."
    if part == WHOLE:
        return f"{name} took nearly all of it."
    return f"{name} took {part} of it; {plural(others, 'other file')} took the rest."
