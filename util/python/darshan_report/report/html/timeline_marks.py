"""Marks across all lanes of the timeline, which show when the program saved its state
(checkpoints)."""

from __future__ import annotations

from typing import Any

from ...units import plural
from ..context import Context
from ..sections.checkpoints import shown

_NAME = 60  # characters
_MOST = 2_000


def marks(context: Context) -> tuple[list[list[Any]], str]:
    """Returns [from, to, name] of each save of a checkpoint, of the first _MOST at most, in seconds
    since the start of the run, and a sentence about these saves. Returns an empty list and "" if
    the times of saves are unknown."""
    found: list[list[Any]] = []
    for row in shown(context):
        name = context.short(row.name.rsplit("/", 1)[-1], _NAME)
        found += [[round(begin, 6), round(end, 6), name] for begin, end in row.times]
    found = sorted(found)[:_MOST]
    if not found:
        return [], ""
    return found, f" Bands across all lanes: {plural(len(found), 'save')} of checkpoints."
