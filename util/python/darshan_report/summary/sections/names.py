"""Names in full that were shortened before."""

from __future__ import annotations

from ..context import Context
from ..model import Block, Code, Heading, Paragraph

_MOST = 60  # names; the tables of a report have fewer in all but odd cases


def blocks(context: Context) -> list[Block]:
    """The appendix; comes last, since what is before fills it."""
    if not context.shown.full:
        return []
    full = list(dict.fromkeys(context.shown.full.values()))
    found: list[Block] = [Heading("Names in full"), Code(tuple(full[:_MOST]))]
    left = len(full) - _MOST
    if left > 0:
        found.append(Paragraph(f"{left:,} more names were shortened."))
    return found
