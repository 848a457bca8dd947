"""The section about passes over the data, for programs without a DataLoader of PyTorch."""

from __future__ import annotations

from ...diagnose.training.loading import verdicts
from ...diagnose.training.passes import Passes, passes
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...units import NONE, amount, count, seconds, share
from ..context import Context

COLUMNS = ("pass", "begin", "time", "read")
_ROWS = 20
_NOTE = (
    "Times of single passes are those at which equal parts of the bytes had been read, to an "
    "interval of the heat map."
)


def found(context: Context) -> Passes | None:
    """Returns the passes of a program over its data; None if it has none, or iterates over a
    DataLoader of PyTorch, whose epochs are in the section about training."""
    return None if verdicts(context.facts) else passes(context.facts)


def sentence(one: Passes, over_all: str) -> str:
    """Returns sentences on the passes over a set of files. over_all: text on over what the time in
    calls is summed, such as " over all processes"."""
    what = f"{count(one.files)} files like {one.name}" if one.files > 1 else one.name
    whole = one.end - one.start
    each = f" in each of {count(one.processes)} processes" if one.processes > 1 else ""
    calls = f"{seconds(one.spent)}{over_all} ({share(one.spent, whole)} of the time of the passes)"
    return (
        f"The program read {what}, {amount(one.size)}, {count(one.number)} times{each}, one pass "
        f"after the other (in a training: epochs): from {seconds(one.start)} to "
        f"{seconds(one.end)} after its start, {seconds(one.each)} for each pass on average. Calls "
        f"on these files took {calls}."
    )


def rows(one: Passes, most: int) -> list[tuple[str, ...]]:
    """Returns at most `most` rows of passes, in the order of COLUMNS; [] if their times are
    unknown."""
    begins = (one.start, *one.ends[:-1])
    shown = list(zip(begins, one.ends))[: most if len(one.ends) <= most else most - 1]
    cells: list[tuple[str, ...]] = [
        (count(number), seconds(begin), seconds(end - begin), amount(one.read // one.number))
        for number, (begin, end) in enumerate(shown, 1)
    ]
    if cells and (left := one.number - len(shown)):
        cells.append((f"{left:,} more", *(NONE,) * (len(COLUMNS) - 1)))
    return cells


def blocks(context: Context) -> list[Block]:
    """Returns the section about passes; [] if there are none."""
    one = found(context)
    if one is None:
        return []
    text = Paragraph(sentence(one, context.facts.over_all), strong=True)
    columns = tuple(Column(title, right=True) for title in COLUMNS)
    shown = rows(one, _ROWS)
    return [
        Heading("Passes over the data"),
        text,
        *([Table(columns, tuple(shown), _NOTE)] if shown else []),
    ]
