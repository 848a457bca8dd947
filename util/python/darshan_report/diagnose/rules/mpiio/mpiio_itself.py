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
_LOCKING = ("nfs", "nfs4")  # ROMIO locks the range of each call there to keep caches coherent


@needs("MPI-IO")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, over all files, if independent MPI-IO transfers take far longer than the
    POSIX calls that they make; otherwise nothing."""
    upper, lower = facts.table("MPI-IO"), facts.table("POSIX")
    if upper is None or lower is None or not facts.together:
        return
    together = sum(upper[f"{how}_{k}S"] for how in ("COLL", "SPLIT") for k in ("READ", "WRITE"))
    alone = upper["INDEP_READS"] + upper["INDEP_WRITES"]
    mine = (alone > 0) & (together == 0)
    if not mine.any():
        return
    itself, gaps = _beyond(upper, lower), _in_gaps(upper, lower)
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    # The program did not ask for the gaps of a view, which POSIX calls move nevertheless.
    mask = mine & (itself > facts.limits["waiting.mpiio"] * (time - gaps))
    mask &= ~tiny_collective.tiny(facts, upper)
    outside = float(itself[mask].sum())
    stake = facts.stake(
        outside + gaps[mask].sum(),
        "time in independent MPI-IO transfers that is not in POSIX calls on the bytes asked for",
    )
    if not mask.any() or not facts.worth(stake):
        return
    (first,) = leading(mask, itself + gaps, 1)
    kind = facts.mount_type(int(upper.ids[first]))
    locks = kind in _LOCKING
    through_view = _through_view(upper, lower)[first] and not locks
    whole, number = float(time[mask].sum()), int(mask.sum())
    more = f" and {plural(number - 1, 'more file')}" if number > 1 else ""
    yield Finding(
        NAME,
        "Independent transfers go through a file view of small pieces"
        if through_view
        else "Independent transfers spend their time in MPI-IO itself",
        f"{count(int(alone[mask].sum()))} independent transfers of "
        f"{facts.name(upper.ids[first])}{more} took {seconds(whole)}{facts.over_all}; the "
        f"POSIX calls below took {seconds(whole - outside)} of that "
        f"({share(whole - outside, whole)})"
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
_SIEVED = 1.5  # times the bytes asked for that POSIX calls move, at least, if a view has gaps


def _below(upper: Table, lower: Table, *names: str) -> np.ndarray:
    """Returns, for each file, the sum of some counters of its POSIX calls; NaN for files without a
    POSIX record. upper: the MPI-IO files; lower: the POSIX files; names: the counters."""
    at = np.searchsorted(lower.ids, upper.ids).clip(0, len(lower) - 1)
    return np.where(lower.ids[at] == upper.ids, sum(lower[name][at] for name in names), np.nan)


def _beyond(upper: Table, lower: Table) -> np.ndarray:
    """Returns, for each file, the seconds of MPI-IO transfers that are not in POSIX calls on that
    file; 0 for files without a POSIX record. upper: the MPI-IO files; lower: the POSIX files."""
    below = _below(upper, lower, "F_READ_TIME", "F_WRITE_TIME")
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    return np.where(np.isnan(below), 0.0, np.maximum(0.0, time - below))


def _bytes(upper: Table, lower: Table) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each file, the bytes that the MPI-IO transfers asked for, and the bytes that the
    POSIX calls below them moved (0 without a POSIX record). upper: the MPI-IO files; lower: the
    POSIX files."""
    asked = upper["BYTES_READ"] + upper["BYTES_WRITTEN"]
    return asked, np.nan_to_num(_below(upper, lower, "BYTES_READ", "BYTES_WRITTEN"))


def _through_view(upper: Table, lower: Table) -> np.ndarray:
    """Returns a mask of the MPI-IO files that were used through views with gaps: POSIX calls then
    move the bytes of the gaps, too. upper: the MPI-IO files; lower: the POSIX files."""
    asked, moved = _bytes(upper, lower)
    mask: np.ndarray = (upper["VIEWS"] > 0) & (asked > 0) & (moved >= _SIEVED * asked)
    return mask


def _in_gaps(upper: Table, lower: Table) -> np.ndarray:
    """Returns, for each file, the seconds in POSIX calls that went into moving the gaps of a view:
    the share of the gaps in the bytes, times the seconds of the calls. Returns 0 for files without
    such a view. upper: the MPI-IO files; lower: the POSIX files."""
    asked, moved = _bytes(upper, lower)
    below = upper["F_READ_TIME"] + upper["F_WRITE_TIME"] - _beyond(upper, lower)
    gaps = 1 - asked / np.maximum(moved, 1)
    return np.where(_through_view(upper, lower), below * gaps, 0.0)


def _pieces(upper: Table, lower: Table, place: int) -> str:
    """Returns a sentence on how many more bytes than requested were moved because a file has a view
    with gaps. upper: the MPI-IO files; lower: the POSIX files; place: row of the file in
    `upper`."""
    asked, moved = (float(values[place]) for values in _bytes(upper, lower))
    return (
        f"The file has a view (MPI_File_set_view) whose pieces are small and far apart: "
        f"{amount(asked)} were asked for, and the POSIX calls moved {amount(moved)} with the gaps, "
        "from which MPI-IO copied each piece."
    )
