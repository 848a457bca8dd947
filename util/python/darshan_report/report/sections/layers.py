"""The section about layers of I/O (HDF5, MPI-IO, STDIO, POSIX and so on): bytes, rates, times and
operations of each layer."""

from __future__ import annotations

from ...measure import io_share
from ...show.model import Block, Column, Heading, PlotRow, Table
from ...units import NONE, UNKNOWN, amount, plural, rate, seconds, share
from ..context import Context, LayerFigures
from ..plots import access_sizes, operations, time_per_layer

_WORTH = 0.01  # share of the run time from which on waits at pipes are reported


def _mean(value: float | None, timer: str, figures: LayerFigures, context: Context) -> str:
    if value is not None:
        return seconds(value / context.mean_over)
    return UNKNOWN if figures.layer.counter(timer) in figures.unknown else NONE


def _row(figures: LayerFigures, context: Context) -> tuple[str, ...]:
    moved = (figures.read, figures.written)
    estimate = figures.performance
    timed = any(t is not None for t in (figures.read_time, figures.write_time, figures.meta_time))
    return (
        figures.layer.title,
        plural(figures.files.number, figures.layer.things[:-1]),
        *(amount(m) if figures.moves_bytes else NONE for m in moved),
        _mean(figures.read_time, "F_READ_TIME", figures, context),
        _mean(figures.write_time, "F_WRITE_TIME", figures, context),
        _mean(figures.meta_time, "F_META_TIME", figures, context),
        share(figures.time, context.process_time) if timed else UNKNOWN,
        rate(estimate.rate) if estimate and estimate.time else NONE,
    )


def in_pipes_sentence(context: Context) -> str:
    """Returns a sentence on waits at named pipes, which are part of the layers' times but not I/O;
    "" if they are short."""
    if not context.in_pipes >= _WORTH * context.run_time > 0:
        return ""
    return (
        f"Waits at named pipes took {seconds(context.in_pipes)}. Only the rows of layers and files "
        "contain them; no other part of this report counts them as I/O."
    )


def _note(context: Context) -> str:
    if context.tree:
        times = (
            f"Bytes and times: sums over all processes ({context.number:,}), whose working time "
            f"was {seconds(context.process_time)} in total. Estimate: bytes divided by the "
            "time in the layer's calls."
        )
    else:
        times = (
            f"Bytes: sum over all processes ({context.nprocs:,}). Times: sum over processes "
            "divided by their number. Estimate: bytes divided by the time of the slowest process "
            "on files of its own plus, for each shared file, that of its slowest process "
            "(darshan-parser --perf)."
        )
    note = (
        "Layers overlap: the bytes of an upper layer pass through the layers below it, so rows "
        f"must not be added up. {times} A dash: not measured by this layer."
    )
    if in_pipes := in_pipes_sentence(context):
        note += f" {in_pipes}"
    if context.exclusive:
        note += (
            " The figure below shows each layer without the layers that it called, so that it "
            "counts no second twice."
        )
    return note


def blocks(context: Context) -> list[Block]:
    """Returns the table of layers, and two plots next to each other; [] if no layer has records."""
    if not context.figures:
        return []
    columns = (
        Column("Layer"),
        Column("Used", right=True),
        Column("Bytes read", right=True),
        Column("Bytes written", right=True),
        Column("Read time", right=True),
        Column("Write time", right=True),
        Column("Metadata time", right=True),
        Column(f"Of {io_share.of_what(context.shares)}", right=True),
        Column("Estimate", right=True),
    )
    rows = tuple(_row(f, context) for f in context.figures)
    found: list[Block] = [Heading("Layers"), Table(columns, rows, _note(context))]
    shown = operations.plot(context)
    figures = [time_per_layer.plot(context, shown.height)]
    if operations.rows(context):
        figures.append(shown)
    if any(f.time > 0 for f in context.figures) or len(figures) > 1:
        found.append(PlotRow(tuple(figures)))
    return found


def with_histogram(context: Context) -> list[LayerFigures]:
    """Returns the layers with a histogram of transfer sizes, the lowest layer first."""
    return [f for f in reversed(context.figures) if access_sizes.drawable(f)]


def sizes(context: Context) -> list[Block]:
    """Returns one row of histograms of transfer sizes, of the two lowest layers that have one; []
    if no layer has one."""
    plots = tuple(access_sizes.plot(f) for f in with_histogram(context)[:2])
    return [PlotRow(plots)] if plots else []
