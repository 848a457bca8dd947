"""The section about transfers: their order, the most common sizes, and the histograms that are not
on page 1."""

from __future__ import annotations

from ...show.model import Block, Column, Heading, PlotRow, Table
from ...units import amount, count, share
from ..context import Context
from ..plots import access_sizes
from .layers import with_histogram


def _order(context: Context) -> list[Block]:
    """Returns a table of sequential and consecutive transfers by layer; [] if no layer
    counts them."""
    rows = [
        (
            figures.layer.title,
            name,
            count(order.transfers),
            share(order.sequential, order.transfers),
            share(order.consecutive, order.transfers),
        )
        for figures in context.figures
        for name, order in (("reads", figures.reads), ("writes", figures.writes))
        if order is not None and order.transfers
    ]
    if not rows:
        return []
    columns = (
        Column("Layer"),
        Column("Transfers"),
        Column("Number", right=True),
        Column("Sequential", right=True),
        Column("Consecutive", right=True),
    )
    note = (
        "Transfers of one process to one file. Sequential: begins at or behind the end of "
        "the previous transfer. Consecutive: begins exactly there."
    )
    return [Table(columns, tuple(rows), note)]


def blocks(context: Context) -> list[Block]:
    """Returns the section; [] if no layer counts the order or the sizes of transfers."""
    found = [*_order(context), *_sizes(context)]
    return [Heading("Transfers: order and sizes"), *found] if found else []


def _sizes(context: Context) -> list[Block]:
    """Returns a table of the most common transfer sizes of all layers, and the histograms that are
    not on page 1."""
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
    if rows:
        columns = (
            Column("Layer"),
            Column("Commonest sizes", right=True),
            Column("Transfers", right=True),
        )
        note = (
            "Reads and writes together, over all processes and files. A record has only its four "
            "most common sizes, so the counts are lower bounds."
        )
        found.append(Table(columns, tuple(rows), note))
    found += [PlotRow(tuple(more[i : i + 2])) for i in range(0, len(more), 2)]
    return found
