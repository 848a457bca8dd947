"""The section about the ledger, the table of what the processes did in each second of their
lifetimes: each second counts in one row."""

from __future__ import annotations

from ...diagnose.times.ledger import (
    ASLEEP,
    BETWEEN,
    COMPUTING,
    IMPORTS,
    IO,
    LOCKS,
    PROCESSOR,
    RANKS,
    WAITING,
    Row,
)
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...units import seconds, share
from ..context import Context

_LEAST = 0.005  # share of the time; smaller rows are combined
_OTHER = "Everything else"
# Time between the calls of a loop counts as I/O, because removing the calls also removes this time.
_KINDS = {BETWEEN: "io", COMPUTING: "computing"} | dict.fromkeys(
    (WAITING, RANKS, LOCKS, PROCESSOR, ASLEEP), "waiting"
)


def _large(context: Context) -> list[Row]:
    """Returns the ledger's rows that are not small, the longest first; [] without a ledger."""
    found = context.ledger
    if found is None or found.whole <= 0:
        return []
    large = [row for row in found.rows if row.seconds >= _LEAST * found.whole]
    return sorted(large, key=lambda row: -row.seconds)


def rows(context: Context) -> list[tuple[str, float]]:
    """Returns title and seconds of each row of the ledger, the longest first. The last row is the
    sum of the small rows. Empty without a ledger."""
    large = _large(context)
    if not large or context.ledger is None:
        return []
    told = [(row.title, row.seconds) for row in large]
    rest = sum(row.seconds for row in context.ledger.rows) - sum(row.seconds for row in large)
    if rest > 0 and len(large) < len(context.ledger.rows):
        told.append((_OTHER, rest))
    return told


def parts(context: Context) -> list[tuple[str, str, float]]:
    """Returns a tuple for each row of the ledger that is not small, the longest first: its kind,
    its title, and its fraction of the lifetime (0 to 1). The kind ("io", "computing", "waiting",
    "start" or "rest") decides the colour. Empty without a ledger."""
    whole = context.ledger.whole if context.ledger else 0.0
    return [(_kind(row), row.title, row.seconds / whole) for row in _large(context)]


def _kind(row: Row) -> str:
    """Returns the kind of a row, which decides its colour."""
    if row.key == IMPORTS:
        return "start"
    return "io" if row.key in IO else _KINDS.get(row.key, "rest")


def note(context: Context) -> str:
    """Returns sentences on what the rows of the ledger add up to; "" without a ledger."""
    found = context.ledger
    if found is None:
        return ""
    number = context.number
    whole = f"the {number:,} processes" if number > 1 else "the process"
    if found.threads:
        return (
            "Calls of several threads overlapped. The rows add up to "
            f"{seconds(found.whole)} of thread time: what all threads of {whole} did in calls, and "
            "computed. What else the threads did is unknown."
        )
    return (
        f"The rows add up to the lifetime of {whole}, {seconds(found.whole)}; no second is in two "
        "rows. A row of calls has the time inside them, without the waits for a processor."
    )


def ranks_waited(context: Context) -> str:
    """Returns sentences on how long the ranks of an MPI job waited for other ranks; "" if that is
    little or unknown."""
    found = context.waited
    if found is None or found.seconds < _LEAST * context.run_time * found.ranks:
        return ""
    text = (
        f"In MPI a rank waited {seconds(found.seconds / found.ranks)} for other ranks on average: "
        f"from {seconds(found.least[1])} (rank {found.least[0]:,}) to {seconds(found.most[1])} "
        f"(rank {found.most[0]:,})."
    )
    during = found.during
    if during is None:
        return text
    if during.seconds < _LEAST * context.run_time:
        return f"{text} Hardly any of that was while one rank was in I/O."
    return (
        f"{text} For {seconds(during.seconds)} nearly all waited while one rank was in I/O, most "
        f"of that time rank {during.rank:,} (an estimate, by the bins of the heat maps)."
    )


def blocks(context: Context) -> list[Block]:
    """Returns the section "Where the time went"; [] if the log has no lifetimes of processes."""
    told = rows(context)
    if not told or context.ledger is None:
        return []
    whole = context.ledger.whole
    columns = (Column("Time in"), Column("Seconds", right=True), Column("Share", right=True))
    cells = tuple((title, seconds(time), share(time, whole)) for title, time in told)
    ranks = ranks_waited(context)
    return [
        Heading("Where the time went"),
        Table(columns, cells, note(context)),
        *([Paragraph(ranks)] if ranks else ()),
    ]
