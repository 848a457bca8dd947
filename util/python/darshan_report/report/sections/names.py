"""The list of full names of what other sections shortened, at the end of the report."""

from __future__ import annotations

from ...show.model import Block, Code, Heading, Paragraph
from ..context import Context

_MOST = 60  # names; few reports have more


def blocks(context: Context) -> list[Block]:
    """Returns the list; [] if no name was shortened. Must be called last, because the other
    sections register the names that they shorten."""
    if not context.shown.full:
        return []
    full = list(dict.fromkeys(context.shown.full.values()))
    found: list[Block] = [Heading("Names in full"), Code(tuple(full[:_MOST]))]
    left = len(full) - _MOST
    if left > 0:
        found.append(Paragraph(f"{left:,} more names were shortened."))
    return found
