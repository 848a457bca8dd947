"""The imports of a training in PyTorch take longer than one of its epochs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....units import plural, seconds
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...reached import needs
from ...training.loading import verdicts
from ...training.start import OTHERS, imports_by_line

NAME = "long-imports"
ROLE = REMARK
_TOLD = 3  # lines in the sentence


def _named(lines: Sequence[tuple[str, float]]) -> str:
    """Returns the lines that took longest with their times, as text. lines: each with its seconds,
    the longest first."""
    rest = len(lines) - _TOLD
    said = ", ".join(f"{seconds(spent)} at {line}" for line, spent in lines[:_TOLD])
    return f"{said}, and {plural(rest, 'line')} more" if rest > 0 else said


@needs("TRAINING")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a notice if one process iterates over a DataLoader, and the imports took longer than
    its average epoch. The imports of the line that took longest are taken to be needed: mostly it
    imports PyTorch. Only those of the other lines are at stake."""
    found = verdicts(facts)
    if not found or found[0].loader.processes != 1 or not found[0].loader.sums.epochs:
        return
    lines = sorted(imports_by_line(facts).items(), key=lambda one: -one[1])
    sums, whole = found[0].loader.sums, sum(spent for _, spent in lines)
    each = sums.whole / sums.epochs
    if whole <= each or len(lines) < 2:
        return
    (_, longest), (line, _) = lines[:2]
    basis = "imports of all lines but the one that takes longest"
    stake = facts.stake(0.0, basis, between=whole - longest)
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Imports take longer than an epoch",
        f"Importing modules took at least {seconds(whole)}, longer than an epoch of the training "
        f"({seconds(each)}): {_named(lines)}. At stake are all lines but the first, which is taken "
        "to be needed.",
        kind=NOTICE,
        stake=stake,
        remedy=Remedy(
            "Look which modules take long, and import those that the training does not need in the "
            "function that uses them. For many short runs, let one process do several of them.",
            "Python: python3 -X importtime train.py 2> times; sort -t '|' -k 2 -n times | tail",
        ),
        at=line if line != OTHERS else "",
    )
