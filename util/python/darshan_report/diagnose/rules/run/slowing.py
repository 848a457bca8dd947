"""The rate falls while the job runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.traces.heat import Heat, heats
from ....units import rate, seconds
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...programs import program_text

NAME = "slowing-down"
ROLE = REMARK
_LEAST_BINS = 30
_LITTLE = 0.01  # bytes written per byte read, below which a file does not grow
_MUCH = 0.25  # of the run: with less time in transfers, the program's own pace sets the rate
_OTHER = 0.25  # largest difference between the read shares of both thirds


def _read(heat: Heat, bins: np.ndarray) -> float:
    """Returns the bytes read in some bins of a heat map, as a share (0 to 1) of the bytes read and
    written. bins: indices."""
    read, written = float(heat.read[bins].sum()), float(heat.write[bins].sum())
    return read / max(read + written, 1.0)


def _transferring(facts: Facts, heat: Heat) -> float:
    """Returns the seconds in reads and writes of a heat map's layer, without those of program
    files."""
    found = 0.0
    for layer, table in facts.layers:
        if layer.title == heat.layer:
            own = ~program_text.which(facts, table)
            found += float((table["F_READ_TIME"] + table["F_WRITE_TIME"])[own].sum())
    return found


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a notice if the rate falls while the job runs: the bytes per second of the last third
    in a heat map are far below those of the first. Otherwise yields nothing, also for trees of
    processes."""
    if facts.tree:
        return  # programs run one after another, each with its own rate
    for heat in heats(facts.log):
        moved = heat.read + heat.write
        used = np.flatnonzero(moved)
        # Traffic with long pauses does not show the rate.
        if len(used) < _LEAST_BINS or len(used) < 0.8 * (used[-1] - used[0] + 1):
            continue
        third = len(used) // 3
        if abs(_read(heat, used[:third]) - _read(heat, used[-third:])) > _OTHER:
            continue  # a phase that reads has another rate than a phase that writes
        first = float(moved[used[:third]].mean()) / heat.bin_width
        last = float(moved[used[-third:]].mean()) / heat.bin_width
        if last <= 0 or first < facts.limits["slowing.factor"] * last:
            continue
        # If transfers take little time, their rate also falls when something between them takes
        # longer.
        spent = _transferring(facts, heat)
        stake = facts.stake(spent, "all time in transfers of this layer")
        if stake.share < _MUCH or not facts.worth(stake):
            continue
        yield Finding(
            NAME,
            "The I/O rate falls while the job runs",
            f"{heat.layer} moved {rate(first / (1 << 20))} in the first third of its traffic and "
            f"{rate(last / (1 << 20))} in the last, in "
            f"intervals of {seconds(heat.bin_width)}.",
            NOTICE,
            remedy=Remedy(
                "Nothing was written: look at what else used the storage or the processors then."
            )
            if heat.write.sum() < _LITTLE * heat.read.sum()
            else Remedy(
                "If a file grows during the job, check if the cost of an operation grows with "
                "it: an "
                "index that no longer fits into memory, a chunk index, fragmented blocks.",
                "SQL: PRAGMA cache_size = -200000;  -- KiB\n"
                "H5Pset_libver_bounds(.., H5F_LIBVER_LATEST);  fallocate first",
            ),
            limits=("slowing.factor",),
        )
        return
