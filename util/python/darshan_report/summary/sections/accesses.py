"""Commonest transfer sizes, and the histograms that page 1 had no room for."""

from __future__ import annotations

from ..context import Context
from ..model import Block, Column, Heading, PlotRow, Table
from ..plots import access_sizes
from ..units import amount, count
from .layers import with_histogram


def blocks(context: Context) -> list[Block]:
    """A table over all layers that know their commonest sizes."""
    rows = []
    for figures in context.figures:
        for size, number in figures.common:
            exact = f"{size:,} B"
            rows.append(
                (
                    figures.layer.title,
                    exact if size < 1024 else f"{exact} ({amount(size)})",
                    count(number),
                )
            )
    found: list[Block] = []
    more = [access_sizes.plot(f) for f in with_histogram(context)[2:]]
    if rows or more:
        found.append(Heading("Sizes of transfers"))
    if rows:
        columns = (
            Column("Layer"),
            Column("Commonest sizes", right=True),
            Column("Transfers", right=True),
        )
        note = (
            "Reads and writes together, over all processes and files. A record keeps its four "
            "commonest sizes only, so the counts are lower bounds."
        )
        found.append(Table(columns, tuple(rows), note))
    found += [PlotRow(tuple(more[i : i + 2])) for i in range(0, len(more), 2)]
    return found
