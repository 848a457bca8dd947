"""The parts of a report. Sections make blocks, and renderers format them as PDF, HTML or text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Union

from ..classes import dataclass

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Heading:
    """The begin of a section of a report. new_page: whether it begins on a new page."""

    text: str
    new_page: bool = False
    anchor: str = ""  # target of a Paragraph's link
    level: int = 0  # 1: part of the section of the last heading with level 0


@dataclass(frozen=True)
class Paragraph:
    """Running text of a report. `strong` is for the few sentences that answer the user's
    question."""

    text: str
    strong: bool = False
    link: str = ""  # anchor of the heading with the details
    url: str = ""  # address of a page with the details; printable ASCII


@dataclass(frozen=True)
class Facts:
    """Labels and values of a report, as pairs. `wide`: long values, each on its own line. `short`:
    values in two columns."""

    wide: tuple[tuple[str, str], ...]
    short: tuple[tuple[str, str], ...]

    @property
    def pairs(self) -> list[tuple[tuple[str, str], ...]]:
        """The short facts in pairs, for two columns: the first half of them is on the left."""
        half = (len(self.short) + 1) // 2
        left, right = self.short[:half], self.short[half:]
        return [(one, *right[place : place + 1]) for place, one in enumerate(left)]


@dataclass(frozen=True)
class Column:
    """A column of a table. right: aligned right. code: names and numbers in a monospaced font."""

    title: str
    right: bool = False
    code: bool = False


@dataclass(frozen=True)
class Table:
    """A table of text. note: a paragraph below it, which explains the numbers. indents: depth of
    each row in a tree; empty if the table is no tree."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    indents: tuple[int, ...] = ()

    @property
    def indented(self) -> tuple[tuple[str, ...], ...]:
        """The rows for a monospaced font: the first cell is indented with spaces by its depth."""
        depths = self.indents or (0,) * len(self.rows)
        return tuple(("  " * d + row[0], *row[1:]) for d, row in zip(depths, self.rows))


@dataclass(frozen=True)
class Plot:
    """A plot of a report. draw: draws into the axes that it gets. Lengths are in mm; left, right,
    top and bottom are margins."""

    title: str
    draw: Callable[[Axes], None]
    height: float  # of the whole plot, with margins
    left: float  # for labels
    right: float = 3.0
    top: float = 4.0
    bottom: float = 7.0
    wide: bool = False  # may use the whole width of the page
    note: str = ""


@dataclass(frozen=True)
class PlotRow:
    """One or two plots next to each other."""

    plots: tuple[Plot, ...]


@dataclass(frozen=True)
class Code:
    """Lines in a monospaced font that the user can copy as they are."""

    lines: tuple[str, ...]


Block = Union[Heading, Paragraph, Facts, Table, PlotRow, Code]


@dataclass(frozen=True)
class Report:
    """A report: its title and its blocks."""

    title: str
    blocks: list[Block] = field(default_factory=list)
