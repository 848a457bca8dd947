"""Draws transfers over time: a line per rank, a stroke per transfer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import numpy as np

from .source import Trace


def draw(traces: Sequence[Trace], reads: bool, title: str, out: IO[bytes] | None) -> None:
    """Draws the reads, or the writes, of traces. reads: whether the reads. out: PDF file; None: a
    window is shown until the user closes it."""
    import matplotlib  # noqa: PLC0415 - slow, and not needed for the table

    if out is not None:
        matplotlib.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for trace in traces:
        part = trace.reads if reads else trace.writes
        times = np.nan_to_num(np.stack([part["start_time"], part["end_time"]]), posinf=0, neginf=0)
        axes.hlines([trace.rank] * len(part), times[0], times[1], color="#1f77b4", linewidth=3)
        axes.plot(times[0], [trace.rank] * len(part), "|", color="#08306b", markersize=4)
    axes.set_xlabel("seconds since the start")
    axes.set_ylabel("rank")
    axes.locator_params(axis="y", integer=True)
    axes.set_title(title, fontsize=9, parse_math=False)
    if out is None:
        pyplot.show()
    else:
        figure.savefig(out, format="pdf", bbox_inches="tight")
    pyplot.close(figure)
