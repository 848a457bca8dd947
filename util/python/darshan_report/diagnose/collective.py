"""Collective calls of MPI-IO.  The counters add up over processes: a call that four processes
make together is counted four times."""

from __future__ import annotations

import numpy as np

from .table import Table

_SIDES = (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN"))


def calls(table: Table, kind: str = "") -> np.ndarray:
    """Collective calls per file, over all processes; kind: READ or WRITE, else both."""
    kinds = (kind,) if kind else ("READ", "WRITE")
    return sum(table[f"{how}_{each}S"] for how in ("COLL", "SPLIT") for each in kinds)


def met(table: Table, kind: str = "") -> np.ndarray:
    """How often the processes of each file met for a collective call."""
    return calls(table, kind) / np.maximum(table.processes, 1)


def moved(table: Table) -> np.ndarray:
    """Bytes that collective calls moved, per file.  Where reads (or writes) are of both kinds, the
    log has only their sum: then each call is taken to have moved as much as the others."""
    return _part(table, {kind: table[name] for kind, name in _SIDES})


def time(table: Table) -> np.ndarray:
    """Seconds in collective calls, taken apart in the same way."""
    return _part(table, {kind: table[f"F_{kind}_TIME"] for kind, _ in _SIDES})


def _part(table: Table, values: dict[str, np.ndarray]) -> np.ndarray:
    found = np.zeros(len(table))
    for kind, value in values.items():
        together = calls(table, kind)
        alone = table[f"INDEP_{kind}S"] + table[f"NB_{kind}S"]
        found += value * (together / np.maximum(together + alone, 1))
    return found
