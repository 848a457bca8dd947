"""The measures of a log that conditions of `darshan compare` can name, such as bytes_read."""

from __future__ import annotations

from collections.abc import Callable

from ..classes import dataclass
from ..diagnose.finding import PROBLEM
from ..report.context import Context, LayerFigures


@dataclass(frozen=True)
class Measure:
    """A number of a whole log that conditions can name. meaning: a description, for users. value()
    returns None if the log does not have it."""

    name: str
    unit: str  # "s" or "B"; empty: a number or a fraction
    meaning: str
    value: Callable[[Context], float | None]


def problems(context: Context) -> list[str]:
    """Returns the names of the diagnoses that found problems in a log, the costliest first."""
    return [f.name for f in context.findings if f.kind == PROBLEM]


def _sum(context: Context, of: Callable[[LayerFigures], float | None]) -> float | None:
    """Returns the sum of a value over the lowest layers, in which each byte is counted once; None
    if it is unknown for one of these layers. of: returns the value of a layer."""
    values = [of(figures) for figures in context.figures if figures.layer.base]
    known = [value for value in values if value is not None]
    return None if len(known) < len(values) else sum(known)


def _calls(figures: LayerFigures, label: str) -> float | None:
    numbers = [number for name, number in figures.operations if name == label]
    return None if None in numbers else sum(n for n in numbers if n is not None)


def _of_layers(of: Callable[[LayerFigures], float | None]) -> Callable[[Context], float | None]:
    return lambda context: _sum(context, of)


def _operations(label: str) -> Callable[[Context], float | None]:
    return _of_layers(lambda figures: _calls(figures, label))


def _share(part: float, work: float) -> float | None:
    return part / work if work > 0 else None


MEASURES = (
    Measure("run_seconds", "s", "run time", lambda c: None if c.info.live else c.run_time),
    Measure("processes", "", "processes", lambda c: c.number),
    Measure("findings", "", "problems found", lambda c: len(problems(c))),
    Measure("file_io_seconds", "s", "time in file I/O, all processes", lambda c: c.shares.files),
    Measure("all_layers_seconds", "s", "time in I/O of all layers", lambda c: c.shares.all),
    Measure("file_io_share", "", "file I/O, of working time",
            lambda c: _share(c.shares.files, c.shares.work)),
    Measure("all_layers_share", "", "I/O of all layers, of working time",
            lambda c: _share(c.shares.all, c.shares.work)),
    Measure("bytes_read", "B", "bytes read", _of_layers(lambda f: f.read)),
    Measure("bytes_written", "B", "bytes written", _of_layers(lambda f: f.written)),
    Measure("reads", "", "calls that read", _operations("read")),
    Measure("writes", "", "calls that write", _operations("write")),
    Measure("opens", "", "calls that open", _operations("open")),
    Measure("read_seconds", "s", "time in reads", _of_layers(lambda f: f.read_time)),
    Measure("write_seconds", "s", "time in writes", _of_layers(lambda f: f.write_time)),
    Measure("metadata_seconds", "s", "time in other calls", _of_layers(lambda f: f.meta_time)),
)  # fmt: skip
NEW = "new_findings"  # the only measure of two logs
NAMES = (*(measure.name for measure in MEASURES), NEW)


def measured(context: Context) -> dict[str, float | None]:
    """Returns the values of all measures of a log, by name. A value is None if the log does not
    have it."""
    return {measure.name: measure.value(context) for measure in MEASURES}
