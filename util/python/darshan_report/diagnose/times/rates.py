"""The rate, in bytes per second, that a job can expect from its file system: that of the job's own
best phases, or a default."""

from __future__ import annotations

import numpy as np

from ...library import LogError
from ...log import Log
from ...measure.traces.heat import heats
from ...records import among
from ..limits import Limits
from ..table import Table

_INORDER = 0.8  # share of transfers that must begin behind the end of the previous one


def movers(table: Table) -> np.ndarray:
    """Returns, for each file, how many processes move bytes at the same time. These are the
    processes of this file or, if they are more, all processes that move bytes of files that no
    other process uses."""
    records = table.records
    moved = sum(
        records[f"{table.prefix}_BYTES_{kind}"].clip(0).astype("f8")
        for kind in ("READ", "WRITTEN")
        if records.module.has(f"{table.prefix}_BYTES_{kind}")
    )
    own = len(np.unique(records.ranks[(records.ranks >= 0) & (moved > 0)]))
    return np.maximum(table.processes, own)


def _phase(table: Table, limits: Limits, kind: str, moved: str) -> float:
    """Returns the bytes per second of all processes together in transfers that nothing in the
    program slows down: large, aligned, in order, on files of a single process. Returns 0 if they
    moved too few bytes. kind: READ or WRITE. moved: the counter of bytes."""
    calls = np.maximum(table[f"{kind}S"], 1)
    good = (table.processes == 1) & (table[moved] >= limits["rate.large"] * calls)
    good &= table[f"SEQ_{kind}S"] >= _INORDER * (calls - 1)
    good &= table["FILE_NOT_ALIGNED"] <= limits["alignment.share"] * (
        table["READS"] + table["WRITES"]
    )
    total = float(table[moved][good].sum(dtype="f8"))
    time = float(table[f"F_{kind}_TIME"][good].sum())
    if time <= 0 or total < limits["rate.phase"]:  # the limit is per process
        return 0.0
    records = table.records
    ranks = records.ranks[among(records.ids, table.ids[good])]
    number = len(np.unique(ranks))
    if total < limits["rate.phase"] * number or 2 * number < movers(table).max():
        return 0.0
    return total / time * number


def _peak(log: Log) -> float:
    """Returns the bytes per second in the busiest bin of the heat map of POSIX; 0 without a heat
    map."""
    try:
        rates = [
            float((heat.read + heat.write).max()) / heat.bin_width
            for heat in heats(log)
            if heat.layer == "POSIX"
        ]
    except LogError:
        return 0.0
    return max((r for r in rates if np.isfinite(r)), default=0.0)


def job_rate(log: Log, table: Table | None, limits: Limits) -> tuple[float, bool]:
    """Returns the bytes per second that all processes together can expect, and whether this was
    measured in this job (the default is the threshold rate.job). An interval of the heat map that
    is faster than the default raises the rate. Only phases that the program did not slow down can
    lower it, because findings explain why other phases are slow. table: of POSIX, or None."""
    default = limits["rate.job"]
    if table is None or not len(table):
        return default, False
    phases = (_phase(table, limits, k, m) for k, m in _MOVED)
    best, peak = max(phases), _peak(log)
    if best <= 0:
        return max(default, peak), peak > default
    return max(best, peak), True


_MOVED = (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN"))
