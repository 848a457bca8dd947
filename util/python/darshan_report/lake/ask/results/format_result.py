"""Formats a query result as text for a terminal: aligned columns, numbers with units."""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....show.text import visible
from ....units import amount, count, time_spent

_WIDEST = 60
_LOOKED = 10_000  # rows that determine the widths of columns
_EXACT = 2**53
_IDS = re.compile(r"(^|_)u?id$")


def _cell(name: str, value: Any) -> str:
    """Returns a value as text for a table on the terminal; "-" for None. Long text is cut. name: of
    the column, which tells the unit."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, decimal.Decimal) and value == value.to_integral_value():
        value = int(value)
    if isinstance(value, int) and (
        _IDS.search(name) or (abs(value) > _EXACT and not _is_size(name))
    ):
        return str(value)  # users copy ids; a double cannot hold larger integers exactly
    if isinstance(value, (int, float)) or hasattr(value, "as_integer_ratio"):
        return _number(name, float(value))
    text = visible(str(value)).replace("\n", " ")
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}\u2026"


def _is_size(name: str) -> bool:
    return "bytes" in name and "ratio" not in name and "share" not in name


def _number(name: str, value: float) -> str:
    """Returns a number as text, in the unit that the name of its column tells: bytes, seconds, a
    share as a percentage, or a count."""
    if not math.isfinite(value):
        return str(value)
    if _is_size(name) and value >= 0:
        return amount(value)
    if "seconds" in name and "ratio" not in name:
        return time_spent(value)
    if name.startswith("share"):
        return f"{100 * value:.1f} %"
    return count(int(value)) if value == int(value) else f"{value:,.2f}"


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def lines(names: list[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yields a query result as text with a line for the column names, some lines at a time. The
    first rows determine the widths of the columns, so that few rows are in memory and the output
    begins early."""
    rest = iter(rows)
    found = list(itertools.islice(rest, _LOOKED))
    cells = [[_cell(name, value) for name, value in zip(names, row)] for row in found]
    right = [all(_is_number(row[place]) for row in found) for place in range(len(names))]
    widths = [
        max(len(names[place]), *(len(row[place]) for row in cells), 1)
        for place in range(len(names))
    ]

    def line(row: Sequence[str]) -> str:
        parts = [
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(row, widths, right)
        ]
        return "  ".join(parts).rstrip() + "\n"

    yield line(names) + "".join(map(line, cells))
    for row in rest:
        yield line([_cell(name, value) for name, value in zip(names, row)])
