"""Sums of collective MPI-IO calls. The counters are sums over processes: a collective call that
four processes make counts four times."""

from __future__ import annotations

import numpy as np

from ..table import Table, added

_SIDES = (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN"))


def calls(table: Table, kind: str = "") -> np.ndarray:
    """Returns the collective calls per file, blocking and split, summed over processes. kind: READ,
    WRITE, or "" for both."""
    kinds = (kind,) if kind else ("READ", "WRITE")
    counters = [f"{how}_{each}S" for how in ("COLL", "SPLIT") for each in kinds]
    return added([table[name] for name in counters])


def met(table: Table, kind: str = "") -> np.ndarray:
    """Returns the number of collective calls per file, where a call that all processes make
    together is counted once. kind: READ, WRITE, or "" for both."""
    return calls(table, kind) / np.maximum(table.processes, 1)


def moved(table: Table) -> np.ndarray:
    """Returns an estimate of the bytes that collective calls moved, per file. The log has only the
    sum over all reads (or writes) of a file, so each call is assumed to move the same number of
    bytes."""
    return _part(table, {kind: table[name] for kind, name in _SIDES})


def time(table: Table) -> np.ndarray:
    """Returns an estimate of the seconds in collective calls, per file. The log has only the sum
    over all reads (or writes) of a file, so each call is assumed to last equally long."""
    return _part(table, {kind: table[f"F_{kind}_TIME"] for kind, _ in _SIDES})


def _part(table: Table, values: dict[str, np.ndarray]) -> np.ndarray:
    found = np.zeros(len(table))
    for kind, value in values.items():
        together = calls(table, kind)
        alone = table[f"INDEP_{kind}S"] + table[f"NB_{kind}S"]
        found += value * (together / np.maximum(together + alone, 1))
    return found
