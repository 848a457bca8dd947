"""Estimates how much of a run the recording itself took. A call costs some nanoseconds, which
matters only in a program that makes very many calls, such as one that reads character by
character."""

from __future__ import annotations

from collections.abc import Sequence

from ...call_sites.lines import Site, sites_of
from ...library import LogError
from ...log import Log
from ...measure.layers.layers import Layer
from ..accesses.streams import Streams
from ..table import Table

# Seconds that the runtime adds to a call: to one that a stream's buffer serves (`fgetc`), to the
# same for a wide character (`fgetwc`), and to another call on a file (`pread` and `lseek`); without
# call sites and with them. `darshan-test/bench/run --build BUILD characters` measures them. The
# last were measured on a slower machine than the others (doc/performance.md has both).
_BUFFERED = (5e-9, 12e-9)
_WIDE = (8e-9, 15e-9)
_OTHER = (70e-9, 80e-9)
_LITTLE = 0.05  # share of the processes' time below which the recording is left out
WIDE = frozenset(
    f"{name}{more}"
    for name in ("fgetwc", "getwc", "getwchar", "fputwc", "putwc", "putwchar")
    for more in ("", "_unlocked")
)


def sites_in(log: Log) -> Sequence[Site]:
    """Returns the call sites of the log; none if it has none, or if they are damaged."""
    try:
        return sites_of(log)
    except LogError:
        return ()  # the report names damaged modules


def wide_calls(log: Log) -> float:
    """Returns how many calls read or wrote one wide character; 0 without call sites."""
    return float(sum(sum(s.sums.calls_of) for s in sites_in(log) if s.stack.called in WIDE))


def recording(
    log: Log, layers: Sequence[tuple[Layer, Table]], streams: Streams | None, whole: float
) -> float:
    """Returns the seconds that the recording took, summed over all processes; 0 if they are less
    than _LITTLE of `whole`, the seconds of the processes, and for logs of Darshan 3.5 and others,
    whose cost is not known here."""
    if log.info.region("USAGE") is None:
        return 0.0
    with_sites = 1 if sites_in(log) else 0
    buffered = other = 0.0
    for layer, table in layers:
        if not layer.base:
            continue
        calls = float((table["READS"] + table["WRITES"]).sum())
        if table.prefix == "STDIO" and streams is not None and streams.known:
            reached = streams["FILLS"].sum() + streams["DRAINS"].sum()
            buffered += max(0.0, calls - float(reached))
        else:
            other += calls + float(table["SEEKS"].sum())
    wide = min(buffered, wide_calls(log))
    spent = (
        (buffered - wide) * _BUFFERED[with_sites]
        + wide * _WIDE[with_sites]
        + other * _OTHER[with_sites]
    )
    spent = min(spent, whole)
    return spent if spent >= _LITTLE * whole else 0.0
