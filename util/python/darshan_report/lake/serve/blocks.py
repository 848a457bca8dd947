"""The parts of the pages: HTML in which all text of logs is escaped, and the data of tables."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from ...classes import dataclass
from ...measure import io_share
from ...measure.shares import Shares
from ...report.html.shell import Kind, page, text
from ...show.text import visible
from .request import Wanted

KIND = Kind(
    "darshan serve",
    ("units.js", "elements.js", "axes.js", "tables.js", "graph.js", "complete.js", "centre.js"),
    ("page.css", "centre.css"),
    "'self'",
    "'self'",
)
_PAGES = (
    ("week", "Weeks"), ("programs", "Programs"), ("users", "Users"),
    ("file-systems", "File systems"), ("lines", "Lines"), ("lineage", "Lineage"),
    ("jobs", "Jobs"),
)  # fmt: skip
MINE = "<!--mine-->"  # placeholder for the link to the jobs of the user who requests the page
_DAYS = ("since", "From day"), ("until", "To day")
_FIELDS = ("user", "User"), ("program", "Program"), ("mount", "File system (mount point)")
# Not fields of the type date, which each browser shows in the format of its user's country.
_DATE = 'placeholder="2026-11-22" pattern="[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,6}[hdwy]"'
_TEXTS = frozenset(("text", "long", "path", "id", "date"))
Row = dict[str, Any]


def shares_of(
    files: float | None, layers: float | None, work: float | None
) -> tuple[tuple[str, str], ...]:
    """Returns the shares of the working time that processes spend in I/O, each as text with its
    label: file I/O and, if it is more, I/O of all layers. files, layers, work: seconds in file I/O,
    in I/O of all layers, and of working time; None if unknown."""
    shares = Shares(files or 0.0, max(files or 0.0, layers or 0.0), work or 0.0)
    found = [(io_share.files(shares), f"of {io_share.OF_WORK} {io_share.FILES}")]
    if shares.above:
        found.append((io_share.all_layers(shares), f"of {io_share.OF_WORK} {io_share.ALL}"))
    return tuple(found)


@dataclass(frozen=True)
class Column:
    """A column of a table on a page. of: the key of the value in a row, or a function that returns
    the value."""

    title: str
    kind: str  # text, long (a sentence), path, id, date, count, amount, seconds, share
    of: str | Callable[[Row], Any]

    def value(self, row: Row) -> Any:
        """Returns the value of a row in the form of the page's data: text or a number. A time
        becomes text such as 2026-11-22 03:30. An unknown text becomes "", an unknown or infinite
        number None."""
        found = row.get(self.of) if isinstance(self.of, str) else self.of(row)
        if isinstance(found, datetime.datetime):
            return found.strftime("%Y-%m-%d %H:%M")
        if self.kind in _TEXTS:
            return "" if found is None else visible(str(found))
        if found is None:
            return None
        number = float(found)
        return number if math.isfinite(number) else None


@dataclass
class Made:
    """A page of `darshan serve` while it is built. parts: its HTML. data: for the scripts of the
    page, which draw tables and pictures."""

    asked: Wanted
    title: str
    parts: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=lambda: {"tables": []})

    def add(self, html: str) -> None:
        """Appends HTML that is already escaped."""
        self.parts.append(html)

    def say(self, words: str, kind: str = "") -> None:
        """Appends a paragraph of text. kind: its class in the style sheet."""
        self.add(f"<p{f' class={kind}' if kind else ''}>{text(words)}</p>")

    def head(self, words: str) -> None:
        """Appends the heading of a section, given as text."""
        self.add(f"<h2>{text(words)}</h2>")

    def facts(self, *pairs: tuple[str, str]) -> None:
        """Appends a list of titles and values, one line each. pairs: each with the title first."""
        some = "".join(f"<dt>{text(title)}</dt><dd>{text(value)}</dd>" for title, value in pairs)
        self.add(f"<dl>{some}</dl>")

    def figures(self, *pairs: tuple[str, str]) -> None:
        """Appends the most important numbers. pairs: each with a number as text, and its
        description."""
        some = "".join(
            f'<div class="figure"><b>{text(value)}</b> <span>{text(words)}</span></div>'
            for value, words in pairs
        )
        self.add(f'<div class="figures">{some}</div>')

    def table(
        self,
        name: str,
        columns: Sequence[Column],
        rows: Sequence[Row],
        link: Callable[[Row], str | None] | None = None,
        *,
        most: int = 0,
        note: str = "",
        none: str = "There are none.",
    ) -> None:
        """Appends a table that the user can sort and filter. name: its id in the page. link:
        returns the address that a row leads to. most: the query's limit of rows, which the page
        names if it is reached; 0: unlimited. note: text below the table. none: text in place of a
        table without rows."""
        if not rows:
            self.say(none)
            return
        cut = f"These are the first {most:,} of more. " if most and len(rows) >= most else ""
        self.add(f'<div id="{name}"></div>')
        self.data["tables"].append({
            "id": name,
            "columns": [(c.title, c.kind) for c in columns],
            "rows": [[c.value(row) for c in columns] for row in rows],
            "links": [link(row) for row in rows] if link else None,
            "note": (cut + note) or None,
        })  # fmt: skip

    def example(self, words: str | None) -> None:
        """Appends code that shows how to apply a remedy; nothing if there is none."""
        if words:
            lines = "\n".join(map(text, words.split("\n")))
            self.add(f"<pre>{lines}</pre>")

    def filters(
        self,
        days: Sequence[tuple[str, str]] = _DAYS,
        more: Sequence[tuple[str, str, str]] = (),
    ) -> None:
        """Appends the form with the filters of the page. days: names and titles of its date fields.
        more: name, title and value of further fields."""
        values = {**vars(self.asked.filters), "week": self.asked.week}
        values.update({name: value for name, _, value in more})
        given = self.asked.page if self.asked.name is not None else ""
        fields = [(*field, f" {_DATE}") for field in days] + [(*field, "") for field in _FIELDS]
        fields += [(name, title, "") for name, title, _ in more]
        inputs = [
            f'<label>{text(title)} <input type="text" name="{name}" '
            f'value="{text(values[name] or "")}"{rest}></label>'
            for name, title, rest in fields
            if name != given
        ]
        if self.asked.name is not None:
            inputs.append(f'<input type="hidden" name="name" value="{text(self.asked.name)}">')
        if self.asked.log:
            inputs.append(f'<input type="hidden" name="log" value="{text(self.asked.log)}">')
        self.add(
            f'<form class="filters" method="get" action="{text(self.asked.page)}">'
            f'{"".join(inputs)}<button type="submit">Show</button></form>'
        )

    def html(self, hidden: bool) -> str:
        """Returns the whole page as HTML. hidden: whether the lake's names are anonymized."""
        links = "".join(
            f'<li><a href="{text(self.asked.address(page))}">{text(title)}</a></li>'
            for page, title in _PAGES
        )
        note = (
            '<p class="note">The names in this lake are anonymized.</p>' if hidden else ""
        )  # fmt: skip
        body = (
            f'<nav aria-label="Pages"><ul>{links}{MINE}</ul></nav><main id="main">'
            f"<h1>{text(self.title[:200])}</h1>{note}{''.join(self.parts)}"
            "<noscript><p>Tables and pictures need JavaScript, which is in this page.</p>"
            "</noscript></main>"
        )
        return page(self.title[:200], body, self.data, KIND)


def link(words: str, address: str) -> str:
    """Returns a link as HTML. words: its text, which this function escapes, like the address."""
    return f'<a href="{text(address)}">{text(words)}</a>'
