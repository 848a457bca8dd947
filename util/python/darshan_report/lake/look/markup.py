"""Builds text in one of two forms: Markdown, or plain lines for a mail.

Names are untrusted data. In Markdown they are code spans, which contain no markup."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Sequence
from typing import Union

from ...show.text import visible

_WIDTH = 72  # columns of a mail
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~&!@])")
_LONGEST = 120  # characters of a name

Part = tuple[str, str]  # a kind ("text", "name", "path" or "strong"), and the text


def text(value: str) -> Part:
    """Returns a part with ordinary text."""
    return "text", value


def name(value: str | None) -> Part:
    """Returns a part with a name from a log; "(no name)" stands for a missing one."""
    return "name", value or "(no name)"


def path(value: str) -> Part:
    """Returns a part with the full path of a file, quoted for a shell."""
    return "path", shlex.quote(value)


def strong(value: str) -> Part:
    """Returns a part with emphasized text."""
    return "strong", value


def _plain(kind: str, value: str) -> str:
    shown = visible(value)
    if kind != "name":
        return shown
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\u2026"


class Markdown:
    """Builds CommonMark, with the tables of GitHub's dialect."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def _inline(self, parts: Sequence[Part]) -> str:
        return "".join(self._one(kind, value) for kind, value in parts)

    @staticmethod
    def _one(kind: str, value: str) -> str:
        if kind in ("name", "path"):
            # A code span in a table cannot contain these two characters, so they are hex escapes.
            shown = _plain(kind, value).replace("`", "\\x60").replace("|", "\\x7c")
            return f"`{shown}`"
        escaped = _MARKUP.sub(r"\\\1", visible(value))
        return f"**{escaped}**" if kind == "strong" else escaped

    def head(self, level: int, *parts: Part) -> None:
        """Adds a heading. level: 1 for the title of the text."""
        self._lines += [f"{'#' * level} {self._inline(parts)}", ""]

    def paragraph(self, *parts: Part) -> None:
        """Adds a paragraph, which consists of these parts without spaces between them."""
        self._lines += [self._inline(parts), ""]

    def item(self, *parts: Part) -> None:
        """Adds an item of a list; a call without parts ends the list."""
        self._lines.append(f"* {self._inline(parts)}" if parts else "")

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        """Adds a table: a name in the first column, numbers in the others."""
        rule = ["---", *("---:" for _ in heads[1:])]
        lines = [[_MARKUP.sub(r"\\\1", h) for h in heads], rule]
        lines += [[self._inline([cell]) for cell in row] for row in rows]
        self._lines += [f"| {' | '.join(line)} |" for line in lines] + [""]

    def whole(self) -> str:
        """Returns the text that was built so far."""
        return "\n".join(self._lines).rstrip("\n") + "\n"


class Mail:
    """Builds the lines of a mail. Lines of paragraphs and lists have at most 72 characters, except
    for longer words, which are not broken."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @staticmethod
    def _inline(parts: Sequence[Part]) -> str:
        return "".join(_plain(*part) for part in parts)

    def _wrapped(self, line: str, first: str = "", rest: str = "") -> list[str]:
        return textwrap.wrap(
            line, _WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip

    def head(self, level: int, *parts: Part) -> None:
        """Adds a heading, underlined at levels 1 and 2. level: 1 for the title of the text."""
        line = self._inline(parts)
        self._lines += [*([""] if self._lines and self._lines[-1] else []), line]
        self._lines += [("=" if level == 1 else "-") * min(len(line), _WIDTH)] * (level < 3) + [""]

    def paragraph(self, *parts: Part) -> None:
        """Adds a paragraph, which consists of these parts without spaces between them."""
        self._lines += [*self._wrapped(self._inline(parts)), ""]

    def item(self, *parts: Part) -> None:
        """Adds an item of a list; a call without parts ends the list."""
        self._lines += self._wrapped(self._inline(parts), "* ", "  ") if parts else [""]

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        """Adds a table: a name in the first column, numbers in the others. Its lines may be longer
        than 72 characters."""
        cells = [list(heads), *([self._inline([cell]) for cell in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        for row in cells:
            parts = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]
            self._lines.append("  ".join(parts).rstrip())
        self._lines.append("")

    def whole(self) -> str:
        """Returns the text that was built so far."""
        return "\n".join(self._lines).rstrip("\n") + "\n"


Form = Union[Markdown, Mail]
