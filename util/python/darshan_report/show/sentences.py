"""Shortens text for a screen behind a sentence or a clause, never in the middle of one."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+(?=(?:and|or|but|which|where|because)\b)")
_LEAST = 24  # columns that a clause must have to make sense alone


def fitting(text: str, width: int, lines: int, indent: str = "") -> list[str]:
    """Returns the first sentences of a text that fit on so many lines, each with the indent. If not
    even the first one fits, it ends behind a clause; if it has none that fits, it is printed as a
    whole, whatever lines it takes."""
    sentences = _SENTENCE.split(text)
    for number in range(len(sentences), 0, -1):
        found = _wrapped(" ".join(sentences[:number]), width, indent)
        if len(found) <= lines:
            return found
    first = sentences[0]
    for match in reversed(list(_CLAUSE.finditer(first))):
        found = _wrapped(first[: match.start()].rstrip(" ,;:") + ".", width, indent)
        if len(found) <= lines and match.start() >= _LEAST:
            return found
    return _wrapped(first, width, indent)


def first_fitting(texts: Iterable[str], width: int, indent: str = "") -> list[str]:
    """Returns the first of these texts that fits on one line; if none does, the last one on as many
    lines as it takes."""
    found: list[str] = []
    for text in texts:
        found = _wrapped(text, width, indent)
        if len(found) == 1:
            break
    return found


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent or "  ",
        break_on_hyphens=False,
    )  # fmt: skip
