"""Independent MPI-IO calls that take far longer than the POSIX calls that they make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds, share
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table
from . import tiny_collective

NAME = "mpi-io-itself"
ROLE = CAUSE
# File systems on which ROMIO locks the range of each call, to keep caches coherent.
_LOCKING = ("nfs", "nfs4")


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
    through_view = _through_view(upper, lower, first) and not locks
    whole, number = float(time[mask].sum()), int(mask.sum())
    more = f" and {plural(number - 1, 'more file')}" if number > 1 else ""
    yield Finding(
        NAME,
        "Independent transfers go through a file view of small pieces"
        if through_view
        else "Independent transfers spend their time in MPI-IO itself",
        f"{count(int(alone[mask].sum()))} independent transfers of "
        f"{facts.name(upper.ids[first])}{more} took {seconds(whole)}{facts.over_all}; the "
        f"POSIX calls below took {seconds(whole - float(lost.sum()))} of that "
        f"({share(whole - lost.sum(), whole)})"
        + (
            f": on {kind} MPI-IO locks the range of each call and bypasses the cache."
            if locks
            else f": the rest is MPI-IO itself. {_pieces(upper, lower, first)}"
            if through_view
            else ": the rest is MPI-IO itself: locks of shared files, and copies."
        ),
        stake=stake,
        evidence=facts.rows(
            upper, first, "INDEP_READS", "INDEP_WRITES", "VIEWS", "F_READ_TIME", "F_WRITE_TIME"
        ),
        remedy=_WITHOUT_VIEW
        if through_view
        else Remedy(
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


_WITHOUT_VIEW = Remedy(
    "Let each rank read (or write) contiguous rows, and exchange the pieces in memory: a rank then "
    "moves only its own bytes, in few large calls. Or make the calls collective: ROMIO of MPICH "
    "does this exchange itself; the OMPIO of Open MPI may take longer with such views.",
    "MPI_File_read_at(file, rank * size, rows, size, MPI_BYTE, &status);  MPI_Alltoallw(...)\n"
    "Python: file.Read_at(rank * rows.nbytes, rows);  comm.Alltoallw(...)\n"
    "MPI_File_set_view and MPI_File_read_all",
)
# Smallest ratio of bytes that POSIX calls move to requested bytes, if a view has gaps.
_SIEVED = 1.5


def _below(upper: Table, lower: Table, place: int) -> tuple[float, float]:
    """Returns the bytes that the transfers of a file requested, and the bytes that the POSIX calls
    below moved."""
    asked = float(upper["BYTES_READ"][place] + upper["BYTES_WRITTEN"][place])
    at = lower.place(int(upper.ids[place]))
    if at is None:
        return asked, 0.0
    return asked, float(lower["BYTES_READ"][at] + lower["BYTES_WRITTEN"][at])


def _through_view(upper: Table, lower: Table, place: int) -> bool:
    """Returns whether a file was used through views with gaps, so that MPI-IO also moves the
    gaps."""
    asked, moved = _below(upper, lower, place)
    return bool(upper["VIEWS"][place] > 0) and asked > 0 and moved >= _SIEVED * asked


def _pieces(upper: Table, lower: Table, place: int) -> str:
    """Returns a sentence on the cost of a view with gaps."""
    asked, moved = _below(upper, lower, place)
    return (
        f"The file has a view (MPI_File_set_view) whose pieces are small and far apart: "
        f"{amount(asked)} were asked for, and the POSIX calls moved {amount(moved)} with the gaps, "
        "from which MPI-IO copied each piece."
    )


def _beyond(upper: Table, lower: Table) -> np.ndarray:
    """Returns the seconds of transfers that are not in POSIX calls on the same file; 0 for files
    without a POSIX record."""
    below = lower["F_READ_TIME"] + lower["F_WRITE_TIME"]
    at = np.searchsorted(lower.ids, upper.ids).clip(0, len(lower) - 1)
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    known = lower.ids[at] == upper.ids
    return np.where(known, np.maximum(0.0, time - below[at]), 0.0)
