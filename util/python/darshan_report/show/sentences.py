"""Shortens text for a screen at the end of a sentence or clause, never within one."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+(?=(?:and|or|but|which|where|because)\b)")
_LEAST = 24  # fewest columns of a clause that makes sense alone


def fitting(text: str, width: int, lines: int, indent: str = "") -> list[str]:
    """Returns as many first sentences of a text as fit on `lines` lines of `width` columns. If the
    first sentence does not fit, it is cut after a clause. If no clause fits, the whole sentence is
    returned on as many lines as it takes. indent: begins each line."""
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
    """Returns the first of these texts that fits on one line of `width` columns. If none fits,
    returns the last text on as many lines as it takes. indent: begins each line."""
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
