"""The PDF report without LaTeX: matplotlib's PDF backend draws the pages."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator

from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...classes import dataclass
from ...show.model import Block, Code, Facts, Heading, Paragraph, PlotRow, Report, Table
from ...show.text import printable, visible
from . import figures

_PAGE = (210.0, 297.0)  # mm
_LEFT, _TOP, _BOTTOM = 15.0, 14.0, 16.0
_INCH = 25.4
_POINT = _INCH / 72
_LEADING = 1.35  # line height as a multiple of the font size
# Width of a character as a multiple of the font size: exact for the monospaced font, a safe mean
# for the proportional font.
_TYPEWRITER, _PROPORTIONAL = 0.602, 0.56
# Widths of wide characters as multiples of the average width.
_CAPITAL, _WIDE = 1.3, {"W": 1.9, "M": 1.6, "@": 1.8, "%": 1.7, "m": 1.7, "w": 1.4}


@dataclass(frozen=True)
class _Font:
    """A font of the plain PDF. typewriter: all characters have the same width."""

    size: float  # points
    bold: bool = False
    italic: bool = False
    typewriter: bool = False


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yields the lines of a text, wrapped at `width` average characters; one empty line for an
    empty text. A line with many wide characters (capitals) is wrapped again."""
    for line in textwrap.wrap(printable(text), width) or [""]:
        wide = sum(_WIDE.get(c, _CAPITAL if c.isupper() else 1.0) for c in line)
        if wide <= width:
            yield line
        else:
            yield from textwrap.wrap(line, max(1, int(width * len(line) / wide)))


class _Pages:
    """The pages of a PDF: puts blocks below each other and begins new pages."""

    def __init__(self, pdf: PdfPages, report: Report) -> None:
        self._pdf = pdf
        self._report = report
        self._number = 0
        self._start()

    def _start(self) -> None:
        self._number += 1
        self._figure = Figure(figsize=(_PAGE[0] / _INCH, _PAGE[1] / _INCH))
        FigureCanvasPdf(self._figure)
        self._y = _TOP
        self._fresh = True
        footer = f"{printable(self._report.title)}   {self._number}"
        self._put(_LEFT, _PAGE[1] - 8, footer, _Font(7))

    def finish(self) -> None:
        """Writes the current page to the PDF."""
        self._pdf.savefig(self._figure)

    def new_page(self) -> None:
        """Starts a new page unless the current page is empty."""
        if not self._fresh:
            self.finish()
            self._start()

    def _room(self, height: float) -> None:
        if self._y + height > _PAGE[1] - _BOTTOM:
            self.new_page()
        self._fresh = False

    def _put(
        self,
        x: float,
        y: float,
        text: str,
        font: _Font,
        *,
        right: bool = False,
        url: str = "",
    ) -> None:
        """Draws a text with its baseline at x and y, which are mm from the left and upper edges of
        the page. right: x is the end of the text. url: makes it a link; "": no link."""
        # parse_math: a "$" in a file name does not start a formula.
        self._figure.text(
            x / _PAGE[0],
            1 - y / _PAGE[1],
            text,
            fontsize=font.size,
            fontweight="bold" if font.bold else "normal",
            fontstyle="italic" if font.italic else "normal",
            family="DejaVu Sans Mono" if font.typewriter else "DejaVu Sans",
            horizontalalignment="right" if right else "left",
            verticalalignment="baseline",
            parse_math=False,
            url=url or None,
        )

    def lines(
        self, text: str, size: float, *, bold: bool = False, italic: bool = False, url: str = ""
    ) -> None:
        """Adds running text, wrapped at the width of the page. size: of the font, in points. url:
        makes the text a link; "": no link."""
        width = int(figures.TEXT_WIDTH / (size * _POINT * _PROPORTIONAL))
        step = size * _POINT * _LEADING
        for line in _wrapped(text, width):
            self._room(step)
            self._y += step
            self._put(_LEFT, self._y, line, _Font(size, bold, italic), url=url)
        self._y += 0.8

    def heading(self, text: str) -> None:
        """Adds a heading with a horizontal line below it."""
        self._room(25)  # space for the first lines after it as well
        self._y += 2
        self.lines(text, 9, bold=True)
        self._rule()

    def _rule(self) -> None:
        y = 1 - (self._y + 0.6) / _PAGE[1]
        ends = (_LEFT / _PAGE[0], (_LEFT + figures.TEXT_WIDTH) / _PAGE[0])
        self._figure.add_artist(Line2D(ends, (y, y), linewidth=0.4, color="black"))
        self._y += 1.4

    def facts(self, facts: Facts) -> None:
        """Adds labels, each with its value to the right: long values below each other, wrapped,
        then short values in two columns."""
        size, indent = 7.0, 22.0
        step = size * _POINT * _LEADING
        width = int((figures.TEXT_WIDTH - indent) / (size * _POINT * _PROPORTIONAL))
        for label, value in facts.wide:
            for place, line in enumerate(_wrapped(value, width)):
                self._room(step)
                self._y += step
                if place == 0:
                    self._put(_LEFT, self._y, label, _Font(size, bold=True))
                self._put(_LEFT + indent, self._y, line, _Font(size))
        for pair in facts.pairs:
            self._room(step)
            self._y += step
            for x, (label, value) in zip((_LEFT, _LEFT + figures.TEXT_WIDTH / 2), pair):
                self._put(x, self._y, label, _Font(size, bold=True))
                self._put(x + indent, self._y, printable(value), _Font(size))
        self._y += 1

    def code(self, code: Code) -> None:
        """Adds lines of code. Only lines wider than the page are wrapped."""
        size, indent = 6.5, 4.0
        step = size * _POINT * _LEADING
        width = int((figures.TEXT_WIDTH - indent) / (size * _POINT * _TYPEWRITER))
        for line in code.lines:
            for part in textwrap.wrap(printable(line), width) or [""]:
                self._room(step)
                self._y += step
                self._put(_LEFT + indent, self._y, part, _Font(size, typewriter=True))
        self._y += 0.8

    def table(self, table: Table) -> None:
        """Adds a table. Columns are as wide as their longest cell, and the font is small enough for
        the page."""
        rows = table.indented
        letters = [
            max(len(c.title), *(len(printable(row[place])) for row in rows), 0) + 2
            for place, c in enumerate(table.columns)
        ]
        widest = figures.TEXT_WIDTH / (sum(letters) * _POINT * _TYPEWRITER)
        size = min(6.5, widest)
        letter, step = size * _POINT * _TYPEWRITER, size * _POINT * 1.45
        titles = tuple(c.title for c in table.columns)
        for number, row in enumerate((titles, *rows)):
            self._room(step)
            self._y += step
            x, font = _LEFT, _Font(size, bold=number == 0, typewriter=True)
            for column, text, width in zip(table.columns, row, letters):
                place = x + (width - 2) * letter if column.right else x
                self._put(place, self._y, printable(text), font, right=column.right)
                x += width * letter
            if number == 0:
                self._rule()
        self._y += 1
        if table.note:
            self.lines(table.note, 6, italic=True)

    def plots(self, row: PlotRow) -> None:
        """Adds a row of plots, each with its title above and its note below."""
        width = figures.width_in(row)
        height = max(p.height for p in row.plots)
        notes = 4.0 if any(p.note for p in row.plots) else 0.0
        self._room(height + notes + 6)
        self._y += 5
        step = figures.TEXT_WIDTH - width
        for place, plot in enumerate(row.plots):
            x = _LEFT + place * step
            self._put(x, self._y, plot.title, _Font(7.5, bold=True))
            axes = self._figure.add_axes(
                (
                    (x + plot.left) / _PAGE[0],
                    1 - (self._y + plot.height - plot.bottom) / _PAGE[1],
                    (width - plot.left - plot.right) / _PAGE[0],
                    (plot.height - plot.top - plot.bottom) / _PAGE[1],
                )
            )
            plot.draw(axes)
            if plot.note:
                self._put(x, self._y + plot.height + 2.5, plot.note, _Font(6, italic=True))
        self._y += height + notes

    def add(self, block: Block) -> None:
        """Draws one block. Raises TypeError for an unknown type of block."""
        if isinstance(block, Heading):
            if block.new_page:
                self.new_page()
            self.heading(block.text)
        elif isinstance(block, Paragraph):
            self.lines(block.text, 8 if block.strong else 7, url=block.url)
        elif isinstance(block, Facts):
            self.facts(block)
        elif isinstance(block, Table):
            self.table(block)
        elif isinstance(block, PlotRow):
            self.plots(block)
        elif isinstance(block, Code):
            self.code(block)
        else:
            raise TypeError(f"cannot draw a block of type {type(block).__name__}")


def render(reports: list[Report], path: str) -> None:
    """Writes a PDF with all reports, at least one, to `path`. The caller has called
    figures.prepare(). Raises OSError."""
    about = {"Title": visible(reports[0].title), "Creator": "darshan-job-summary"}
    made = io.BytesIO()  # in memory for the same reason as in figures.write
    with PdfPages(made, metadata=about) as pdf:
        for report in reports:
            pages = _Pages(pdf, report)
            pages.lines(report.title, 12, bold=True)
            for block in report.blocks:
                pages.add(block)
            pages.finish()
    with open(path, "wb") as file:
        file.write(made.getbuffer())
