"""Independent MPI-IO calls that take far longer than the POSIX calls that they make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...units import count, plural, seconds, share
from ..facts import Facts, leading
from ..finding import CAUSE, Finding, Remedy
from ..reached import needs
from ..table import Table
from . import tiny_collective

NAME = "mpi-io-itself"
ROLE = CAUSE
_LOCKING = ("nfs", "nfs4")  # ROMIO locks the range of each call there to keep caches coherent


@needs("MPI-IO")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if independent MPI-IO transfers take far longer than the POSIX calls that
    they make, over all files."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None or not facts.together:
        return
    together = sum(upper[f"{how}_{k}S"] for how in ("COLL", "SPLIT") for k in ("READ", "WRITE"))
    alone = upper["INDEP_READS"] + upper["INDEP_WRITES"]
    mine = (alone > 0) & (together == 0)
    if not mine.any():
        return
    lost = np.where(mine, _beyond(upper, lower), 0.0)
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    mask = lost > facts.limits["waiting.mpiio"] * time
    mask &= ~tiny_collective.tiny(facts, upper)
    lost = np.where(mask, lost, 0.0)
    stake = facts.stake(
        lost.sum(), "time in independent MPI-IO transfers that is not in POSIX calls below"
    )
    if not mask.any() or not facts.worth(stake):
        return
    (first,) = leading(mask, lost, 1)
    kind = facts.mount_type(int(upper.ids[first]))
    locks = kind in _LOCKING
    whole, number = float(time[mask].sum()), int(mask.sum())
    more = f" and {plural(number - 1, 'more file')}" if number > 1 else ""
    yield Finding(
        NAME,
        "Independent transfers spend their time in MPI-IO itself",
        f"{count(int(alone[mask].sum()))} independent transfers of "
        f"{facts.name(upper.ids[first])}{more} took {seconds(whole)}{facts.over_all}; the "
        f"POSIX calls below took {seconds(whole - float(lost.sum()))} of that "
        f"({share(whole - lost.sum(), whole)})"
        + (
            f": on {kind} MPI-IO locks the range of each call and bypasses the cache."
            if locks
            else ": the rest is MPI-IO itself: locks of shared files, and copies."
        ),
        stake=stake,
        evidence=facts.rows(
            upper, first, "INDEP_READS", "INDEP_WRITES", "F_READ_TIME", "F_WRITE_TIME"
        ),
        remedy=Remedy(
            f"Do not write to {kind} with MPI-IO: write to the job's scratch folder or to a local "
            "disk. Write files of single processes with POSIX calls."
            if locks
            else "Fewer, larger transfers; write files of single processes with POSIX calls; open "
            "them with MPI_COMM_SELF.",
            "fwrite / pwrite for a file per process;  MPI_File_open(MPI_COMM_SELF, ...)\n"
            'hints "romio_ds_write" = "disable", "romio_ds_read" = "disable"',
        ),
        limits=("waiting.mpiio",),
        covers=frozenset(int(i) for i in upper.ids[mask]),
    )


def _beyond(upper: Table, lower: Table) -> np.ndarray:
    """Returns the seconds of transfers that are not in POSIX calls on the same file; 0 for files
    without a POSIX record."""
    below = lower["F_READ_TIME"] + lower["F_WRITE_TIME"]
    at = np.searchsorted(lower.ids, upper.ids).clip(0, len(lower) - 1)
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    known = lower.ids[at] == upper.ids
    return np.where(known, np.maximum(0.0, time - below[at]), 0.0)
