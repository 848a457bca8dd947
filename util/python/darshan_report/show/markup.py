"""HTML for notebooks, with text from untrusted logs. In names and command lines, characters that
could mislead a reader become their code points, and no part of a name becomes markup."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from .text import visible

_LEFT, _RIGHT = "text-align:left", "text-align:right"


def escaped(text: str) -> str:
    """Returns untrusted text as HTML: markup is escaped, and control characters become visible."""
    return html.escape(visible(text))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], lefts: int) -> str:
    """Returns an HTML table; the cells are untrusted text. heads: titles of the columns. The first
    `lefts` columns are aligned left, the others right."""

    def row(cells: Sequence[str], tag: str) -> str:
        sides = [_LEFT if place < lefts else _RIGHT for place in range(len(cells))]
        parts = (f'<{tag} style="{s}">{escaped(c)}</{tag}>' for s, c in zip(sides, cells))
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"
