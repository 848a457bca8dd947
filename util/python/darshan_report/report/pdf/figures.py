"""Draws the plots of a report into one PDF file, one page each."""

from __future__ import annotations

import io
import logging
import os
from typing import TYPE_CHECKING

from ...show.model import Plot, PlotRow, Report
from ..plots.style import SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

TEXT_WIDTH = 180.0  # mm
_GAP = 4.0  # mm between two plots of a row
_MM_PER_INCH = 25.4


def width_in(row: PlotRow) -> float:
    """Returns the width in mm of each plot of a row. A single plot has half the page unless it is
    `wide`."""
    count = 1 if len(row.plots) == 1 and row.plots[0].wide else 2
    return (TEXT_WIDTH - _GAP * (count - 1)) / count


def prepare() -> None:
    """Imports matplotlib and replaces the user's settings by those of the report. Raises
    ImportError without matplotlib."""
    # Hides matplotlib's advice on cache folders from users.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib  # noqa: PLC0415 - costs a quarter of a second, so only when drawing

    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)


def draw(plot: Plot, figure: Figure | SubFigure, width: float, height: float) -> None:
    """Draws a plot into a figure, with the plot's margins. width, height: of the figure, in mm."""
    axes = figure.add_axes(
        (
            plot.left / width,
            plot.bottom / height,
            (width - plot.left - plot.right) / width,
            (height - plot.top - plot.bottom) / height,
        )
    )
    plot.draw(axes)


def rows_of(report: Report) -> list[PlotRow]:
    """Returns the rows of plots of a report in order."""
    return [block for block in report.blocks if isinstance(block, PlotRow)]


def write(reports: list[Report], path: str | os.PathLike[str]) -> int:
    """Writes the plots of all reports into one PDF file, a page for each plot. Returns the number
    of pages, 0 if there is no plot, and then writes no file."""
    rows = [row for report in reports for row in rows_of(report)]
    if not rows:
        return 0
    prepare()
    from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    pages = 0
    # The PDF is made in memory, because PdfPages fails with an error of zlib if it cannot write the
    # file.
    made = io.BytesIO()
    with PdfPages(made) as pdf:
        for row in rows:
            width = width_in(row)
            for plot in row.plots:
                figure = Figure(figsize=(width / _MM_PER_INCH, plot.height / _MM_PER_INCH))
                FigureCanvasPdf(figure)
                draw(plot, figure, width, plot.height)
                pdf.savefig(figure)
                pages += 1
    with open(path, "wb") as file:
        file.write(made.getbuffer())
    return pages
