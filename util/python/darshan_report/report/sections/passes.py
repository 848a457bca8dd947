"""The section about passes over the data, for programs without a DataLoader of PyTorch."""

from __future__ import annotations

from ...diagnose.training.passes import Passes
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...units import NONE, amount, count, seconds, share
from ..context import Context

COLUMNS = ("pass", "begin", "time", "read")
_ROWS = 20
_NOTE = (
    "Times of single passes are those at which equal parts of the bytes had been read, to an "
    "interval of the heat map."
)


def _over_all(context: Context) -> str:
    """Returns words on over what times in calls are summed; "" for one process with one thread."""
    if context.info.nprocs > 1 or context.tree:
        return " over all processes"
    return " over all threads" if context.shares.overlapping else ""


def sentence(context: Context, one: Passes) -> str:
    """Returns sentences on the passes of a program over a set of files."""
    what = f"{count(one.files)} files like {one.name}" if one.files > 1 else one.name
    whole = one.end - one.start
    each = f" in each of {count(one.processes)} processes" if one.processes > 1 else ""
    part = share(one.spent, whole)
    calls = f"{seconds(one.spent)}{_over_all(context)} ({part} of the time of the passes)"
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
    one = context.passes
    if one is None:
        return []
    text = Paragraph(sentence(context, one), strong=True)
    columns = tuple(Column(title, right=True) for title in COLUMNS)
    shown = rows(one, _ROWS)
    return [
        Heading("Passes over the data"),
        text,
        *([Table(columns, tuple(shown), _NOTE)] if shown else []),
    ]
