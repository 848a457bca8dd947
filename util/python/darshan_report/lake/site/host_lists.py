"""Expands lists of hosts in the form of Slurm and Flux: node[01-04,7],login1."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

MOST = 4096  # names that a list may have
_PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_LIST = re.compile(rf"{_PART.pattern}(?:,{_PART.pattern})*")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def _numbers(text: str) -> list[str] | None:
    """Returns the numbers of a list such as 01-04,7, with their leading zeros; None if there are
    more than MOST, or if the text is no such list."""
    found: list[str] = []
    for part in text.split(","):
        ends = _RANGE.fullmatch(part)
        if ends is None:
            return None
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first or len(found) + last - first >= MOST:
            return None
        found += [f"{number:0{len(ends[1])}}" for number in range(first, last + 1)]
    return found


def _names(part: str) -> Iterator[str] | None:
    """Yields the names of one part of a list, such as node[01-04]; returns None if they are too
    many, or if the part is invalid."""
    pieces: list[list[str]] = []
    count = 1
    for place, piece in enumerate(re.split(r"[\[\]]", part)):
        some = _numbers(piece) if place % 2 else [piece]
        if some is None:
            return None
        count *= len(some)
        if count > MOST:
            return None
        pieces.append(some)
    return map("".join, itertools.product(*pieces))


def expanded(text: str) -> list[str] | None:
    """Returns the host names of a list; None if there are more than MOST, or if the text is no such
    list."""
    if len(text) > 1 << 16 or not text.isprintable() or " " in text or not _LIST.fullmatch(text):
        return None
    found: list[str] = []
    for part in _PART.findall(text):
        names = _names(part)
        if names is None:
            return None
        found += names
        if len(found) > MOST:
            return None
    return found
