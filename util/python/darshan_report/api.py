"""Class Log, which open_log() returns to users of the package. It adds frames, traces, findings and
plots to the records of log.py."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import log, variable

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from .diagnose.finding import Findings
    from .diagnose.limits import Limits
    from .variable import Trace


class Log(log.Log):
    """An open log with its frames, traces and findings. Use it as a context manager. Arrays from it
    stay valid after the log is closed. Methods that read records raise LogError if these are
    damaged."""

    def traces(self, module: str = "DXT_POSIX") -> Iterator[Trace]:
        """Returns the traced transfers of a module, "DXT_POSIX" or "DXT_MPIIO": one object per file
        and rank."""
        return variable.traces(self, module)

    def frame(self, module: str) -> pandas.DataFrame:
        """Returns the records of a module as a pandas frame with a row per record. DXT_POSIX and
        DXT_MPIIO have a row per transfer; HEATMAP, MPIWAIT and TRAINING_TIME have a row per bin.
        Raises ImportError without pandas."""
        from . import frames  # noqa: PLC0415 - for those who have pandas

        return frames.frame(self, module)

    def findings(self, limits: Limits | None = None) -> Findings:
        """Returns the findings of all diagnoses: problems first, the costliest of them first.
        limits: thresholds of the rules; by default the built-in ones."""
        from .diagnose.run import diagnose  # noqa: PLC0415 - all rules, which few users need

        return diagnose(self, limits)

    def plot_heatmap(self, layer: str | None = None) -> Figure:
        """Returns the heat map of a layer ("POSIX"): bytes over time and ranks, or over time and
        programs if the run had several. Default: the layer with the most bytes. The result is a
        figure of matplotlib: notebooks display it, savefig() writes it. Raises ValueError if the
        log has no data for the plot, and UnknownName if it has no layer of this name."""
        from . import pictures  # noqa: PLC0415 - imports matplotlib

        return pictures.heat(self, layer)

    def plot_rates(self, layer: str | None = None) -> Figure:
        """Returns the plot of bytes read and written per second over time, a figure of matplotlib.
        layer: such as "POSIX"; None for the layer with the most bytes. Raises ValueError if the log
        has no data for the plot, and UnknownName if it has no layer of this name."""
        from . import pictures  # noqa: PLC0415 - imports matplotlib

        return pictures.rates(self, layer)

    def plot_access_sizes(self, layer: str | None = None) -> Figure:
        """Returns the histogram of access sizes of a layer. Default: the lowest layer of the log.
        Raises as plot_heatmap() does."""
        from . import pictures  # noqa: PLC0415 - imports matplotlib

        return pictures.sizes(self, layer)

    def plot_operations(self) -> Figure:
        """Returns the plot of the numbers of calls, by kind and layer. Raises ValueError if the log
        has none."""
        from . import pictures  # noqa: PLC0415 - imports matplotlib

        return pictures.calls(self)

    def plot_times(self) -> Figure:
        """Returns the plot of the seconds of each layer: read, write and metadata, per process, or
        of all processes together if the run had several programs. Raises ValueError if the log has
        no I/O."""
        from . import pictures  # noqa: PLC0415 - imports matplotlib

        return pictures.times(self)

    def _repr_html_(self) -> str:
        from .notebook import log_html  # noqa: PLC0415 - for notebooks alone

        return log_html(self)


def open_log(path: str | os.PathLike[str]) -> Log:
    """Opens a log: `with open_log("x.darshan") as log: ...`. Raises LogError if the file is not a
    log or is damaged before its records, LibraryMissing without libdarshan-read."""
    return Log(path)
