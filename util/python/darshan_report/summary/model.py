"""What a report consists of.  Sections make blocks, renderers draw them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Heading:
    """Starts a section; new_page: one that is looked at as a whole."""

    text: str
    new_page: bool = False
    anchor: str = ""  # a name that a Paragraph's link leads to
    level: int = 0  # 1: part of the section of the heading before with level 0


@dataclass(frozen=True)
class Paragraph:
    """Running text; strong for the few sentences that answer the question."""

    text: str
    strong: bool = False
    link: str = ""  # anchor of the heading that says more
    url: str = ""  # address of a page that says more; printable ASCII


@dataclass(frozen=True)
class Facts:
    """Labels and values: long ones on a line of their own, then pairs side by side."""

    wide: tuple[tuple[str, str], ...]
    short: tuple[tuple[str, str], ...]

    @property
    def pairs(self) -> list[tuple[tuple[str, str], ...]]:
        """The short ones two by two, first the left column downwards."""
        half = (len(self.short) + 1) // 2
        left, right = self.short[:half], self.short[half:]
        return [(one, *right[place : place + 1]) for place, one in enumerate(left)]


@dataclass(frozen=True)
class Column:
    """A column of a table; code: names and numbers in a typewriter face."""

    title: str
    right: bool = False
    code: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of ready text.  note: what the numbers are taken over.  indents: how deep the
    first cell of each row is in a tree; empty: there is none."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    indents: tuple[int, ...] = ()

    @property
    def indented(self) -> tuple[tuple[str, ...], ...]:
        """The rows for a page of letters of one width."""
        depths = self.indents or (0,) * len(self.rows)
        return tuple(("  " * d + row[0], *row[1:]) for d, row in zip(depths, self.rows))


@dataclass(frozen=True)
class Plot:
    """A figure: draw gets axes and nothing else.  Lengths are in mm."""

    title: str
    draw: Callable[[Axes], None]
    height: float  # of all, the margins included
    left: float  # room for labels
    right: float = 3.0
    top: float = 4.0
    bottom: float = 7.0
    wide: bool = False  # worth the width of the page
    note: str = ""


@dataclass(frozen=True)
class PlotRow:
    """One or two plots beside each other."""

    plots: tuple[Plot, ...]


@dataclass(frozen=True)
class Code:
    """Lines to be typed as they stand."""

    lines: tuple[str, ...]


Block = Union[Heading, Paragraph, Facts, Table, PlotRow, Code]


@dataclass(frozen=True)
class Report:
    """The report of one log."""

    title: str
    blocks: list[Block] = field(default_factory=list)
