"""Compares the cost of a call with this build's runtime and with another one, usually that of an
earlier version."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

from call_costs import EXCLUDED_FOLDER, KINDS, Kind
from machine import Bench, numbers
from rows import Row

ALLOWED = 1.03  # a larger ratio, new to old, misses the goal


def timer(bench: Bench, kind: Kind, library: Path | None) -> Callable[[], float]:
    """Returns a function that measures a kind of call once and returns its nanoseconds. library: is
    preloaded; None: none is, so the bare call is measured."""
    behind = bench.program("libfree.so") if kind.free else ""
    settings = {"LD_PRELOAD": behind} if behind else {}
    if library:
        settings = bench.settings(behind, kind.configuration)
        settings["LD_PRELOAD"] = f"{library} {behind}".strip()
    calls = kind.calls * (5 if kind.free else 1)

    def take() -> float:
        folder = EXCLUDED_FOLDER if kind.excluded else bench.empty("work")
        command = [bench.program("cost"), kind.name, str(calls), "1", str(folder)]
        (taken,) = numbers(command, settings)
        if kind.excluded:
            (EXCLUDED_FOLDER / "pread-0").unlink(missing_ok=True)
        return taken

    return take


def against(bench: Bench, other: Path) -> list[Row]:
    """Measures each kind of call without a library, with the other library (a path of another
    build's libdarshan.so) and with this build's, in turn. Returns a row for each kind, with the
    time that each library adds and the ratio of the whole calls; a goal is missed if this build's
    call takes more than ALLOWED times the other's."""
    rows = []
    for kind in KINDS:
        bare, before, now = (
            timer(bench, kind, library) for library in (None, other, bench.build / "libdarshan.so")
        )
        taken = [(bare(), before(), now()) for _ in range(bench.repetitions)]
        quick = [min(column) for column in zip(*taken)]
        added = [statistics.median(t[i] - t[0] for t in taken) for i in (1, 2)]
        ratio = statistics.median(t[2] / t[1] for t in taken)
        text = (
            f"{added[0]:+.1f} before, {added[1]:+.1f} ns now (fastest {quick[1] - quick[0]:+.1f},"
            f" {quick[2] - quick[0]:+.1f}) on {quick[0]:.1f}; the whole call {ratio:.3f} x,"
            f" fastest {quick[2] / quick[1]:.3f} x"
        )
        label = f"{kind.label}{', real function free' if kind.free else ''}"
        rows.append(Row(label, text, f"{ALLOWED} x", ratio <= ALLOWED))
    return rows
