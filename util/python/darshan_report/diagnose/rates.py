"""What a job can expect of its file system: what its own best phases reached, or a default."""

from __future__ import annotations

import numpy as np

from ..library import LogError
from ..log import Log
from ..measure.heat import heats
from .limits import Limits
from .table import Table

_INORDER = 0.8  # of transfers that begin behind the last one


def movers(table: Table) -> np.ndarray:
    """Processes that move bytes while a file's do: those of the file, or, where each has files
    of its own, all that have."""
    records = table.records
    moved = sum(
        records[f"{table.prefix}_BYTES_{kind}"].clip(0).astype("f8")
        for kind in ("READ", "WRITTEN")
        if records.module.has(f"{table.prefix}_BYTES_{kind}")
    )
    own = len(np.unique(records.ranks[(records.ranks >= 0) & (moved > 0)]))
    return np.maximum(table.processes, own)


def _phase(table: Table, limits: Limits, kind: str, moved: str) -> float:
    """Bytes per second of all processes in large transfers of files that are one process's and
    moved in order: nothing of the program stands in their way.  0: there is too little of it."""
    calls = np.maximum(table[f"{kind}S"], 1)
    good = (table.processes == 1) & (table[moved] >= limits["rate.large"] * calls)
    good &= table[f"SEQ_{kind}S"] >= _INORDER * (calls - 1)
    good &= table["FILE_NOT_ALIGNED"] <= limits["alignment.share"] * (
        table["READS"] + table["WRITES"]
    )
    total = float(table[moved][good].sum(dtype="f8"))
    time = float(table[f"F_{kind}_TIME"][good].sum())
    if time <= 0 or total < limits["rate.phase"]:  # of one process
        return 0.0
    records = table.records
    ranks = records.ranks[np.isin(records.ids, table.ids[good])]
    number = len(np.unique(ranks))
    if total < limits["rate.phase"] * number or 2 * number < movers(table).max():
        return 0.0
    return total / time * number


def _peak(log: Log) -> float:
    """Bytes per second in the fullest bin of the system calls' heat map."""
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
    """Bytes per second that all processes can expect together, and whether they reached it.

    A bin that is fuller than the default raises it; only phases in which nothing stood in the
    way lower it: the others are slow by what the findings are about.
    """
    default = limits["rate.job"]
    if table is None or not len(table):
        return default, False
    phases = (_phase(table, limits, k, m) for k, m in _MOVED)
    best, peak = max(phases), _peak(log)
    if best <= 0:
        return max(default, peak), peak > default
    return max(best, peak), True


_MOVED = (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN"))
