"""Independent MPI-IO on a shared file where collective calls are possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....records import among
from ....units import amount, count, plural, share
from ...accesses import collective
from ...facts import Facts, leading, once
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...reached import CALLS, at_most
from ...table import Table
from ..processes import read_by_all

NAME = "independent-shared"
ROLE = CAUSE
_TOGETHER = (
    "Make the transfers collective: a few processes then move large contiguous pieces for all."
)
_FEWER = (
    " Do not make one collective call per piece: describe all pieces of a process with a file "
    "view or a selection, and move them with few calls; a collective call for each small piece "
    "would be even slower."
)

# Measured: two processes each wrote 250,000 interleaved pieces of 64 B. With MPICH this took 0.9 s,
# with a file view and one collective call 0.7 s, and after an exchange 0.5 s. With Open MPI 4.1 it
# took 2.1 s, 1.8 s and 0.7 s.
_EXCHANGE = {
    "WRITE": "Exchange the pieces by MPI_Alltoallv, and let each process write one contiguous "
    "block by a collective call: this helps with every MPI library.",
    "READ": "Let each process read one contiguous block by a collective call, and exchange the "
    "pieces by MPI_Alltoallv: this helps with every MPI library.",
}
_CALLS = {
    "WRITE": "MPI_Alltoallv;  MPI_File_{0}_at_all of one block\n"
    "MPI_File_set_view;  one MPI_File_{0}_all for all pieces",
    "READ": "MPI_File_{0}_at_all of one block;  MPI_Alltoallv\n"
    "MPI_File_set_view;  one MPI_File_{0}_all for all pieces",
}
_VIEW = (
    " A file view and one collective call for all pieces of a process leaves the exchange to the "
    "library: ROMIO (MPICH, Intel MPI, Cray) does it, OMPIO of Open MPI gains little. A collective "
    "call for each small piece would be even slower."
)
_SPLIT = 50  # POSIX calls per independent call, from which on MPI-IO splits a file view into pieces
_GAPS = 1.5  # times the bytes of the calls; POSIX calls that move more do not move pieces


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if shared files are read by independent MPI-IO calls although collective
    calls are possible, and another if they are written by such calls. Yields nothing if the
    processes are no MPI job."""
    table = facts.table("MPI-IO")
    if table is None or not facts.together:
        return
    for kind in ("READ", "WRITE"):
        yield from _find(facts, table, kind)


def _find(facts: Facts, table: Table, kind: str) -> Iterator[Finding]:
    """Yields the finding on the shared files that independent calls read, or write. kind: READ or
    WRITE."""
    alone = table[f"INDEP_{kind}S"] + table[f"NB_{kind}S"]
    together = collective.calls(table, kind)
    moved = table["BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"]
    calls = alone + together
    below = facts.table("POSIX")
    split = _split(facts, table, kind, alone)
    mask = table.shared & ((alone >= facts.limits["operations"]) | (split > 0))
    if kind == "READ" and below is not None:
        mask &= ~among(table.ids, below.ids[read_by_all.whole(facts, below)])
    # If one process moves nearly all bytes, a collective call does not help.
    mask &= ~_by_one(facts, table)
    if below is not None:
        mask &= ~among(table.ids, below.ids[_by_one(facts, below)])
    mask &= together < facts.limits["collective.share"] * calls
    if not mask.any():
        return
    seconds = np.where(mask, facts.lost(table[f"F_{kind}_TIME"], moved, facts.movers(table)), 0.0)
    stake = facts.stake(
        seconds.sum(),
        "time in these calls beyond what their bytes would take at "
        f"{facts.rate_words(int(facts.movers(table)[mask].max()))}",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    mean, pieces = float(moved[first]) / max(1, int(calls[first])), int(split[first])
    each = float(moved[first]) / max(1, pieces)
    yield Finding(
        f"{NAME}-{kind.lower()}",
        f"Independent {kind.lower()}s of a shared file are split into small pieces"
        if pieces
        else f"The {kind.lower()}s of a shared file are independent",
        f"{count(int(alone[first]))} of {count(int(calls[first]))} MPI-IO {kind.lower()}s "
        f"({share(int(alone[first]), int(calls[first]))}) of {facts.name(table.ids[first])}, "
        f"shared by {plural(int(table.processes[first]), 'process')}, are independent, "
        f"{amount(mean)} each"
        + (
            f", and MPI-IO made {count(pieces)} POSIX {kind.lower()}s of {amount(each)} of them, "
            "one for each piece of the file view"
            if pieces
            else ""
        )
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            f"INDEP_{kind}S",
            f"COLL_{kind}S",
            f"NB_{kind}S",
            "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN",
            f"F_{kind}_TIME",
        )
        + _posix(facts, int(table.ids[first]), kind),
        remedy=Remedy(
            _words(facts, kind, small=min(mean, each) <= facts.limits["small.bytes"]),
            _example(facts, kind),
        ),
        limits=("collective.share", "operations", "oneprocess.share", "small.bytes"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _split(facts: Facts, table: Table, kind: str, alone: np.ndarray) -> np.ndarray:
    """Returns, for each file, the number of its POSIX calls if MPI-IO split a few independent calls
    into them. Returns 0 for a file if these calls are few (limit `operations`), if MPI-IO did not
    split its calls, if the pieces are large, or if POSIX moved many more bytes than MPI-IO. table:
    the MPI-IO files; kind: READ or WRITE; alone: number of independent calls per file."""
    below = facts.table("POSIX")
    if below is None:
        return np.zeros(len(table), "i8")
    word = "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"
    at = np.searchsorted(below.ids, table.ids).clip(0, len(below) - 1)
    calls = np.where(below.ids[at] == table.ids, below[f"{kind}S"][at], 0)
    mask = (calls >= facts.limits["operations"]) & (calls >= _SPLIT * alone) & (alone > 0)
    mask &= table[word] <= facts.limits["small.bytes"] * calls
    mask &= below[word][at] <= _GAPS * table[word]
    return np.where(mask, calls, 0)


@once
def _by_one(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the files of which one process, the slowest or the fastest, moves nearly
    all bytes."""
    most = np.maximum(table["FASTEST_RANK_BYTES"], table["SLOWEST_RANK_BYTES"])
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    found: np.ndarray = table.shared & (most > facts.limits["oneprocess.share"] * moved)
    return found


def _words(facts: Facts, kind: str, *, small: bool) -> str:
    """Returns the text of a remedy. If the calls are small, it says how to make larger ones; its
    text is shorter if HDF5 or PnetCDF calls MPI-IO, because the program then does not choose the
    offsets. kind: READ or WRITE; small: the calls move few bytes each."""
    if not small:
        return _TOGETHER
    if facts.table("H5F") is not None or facts.table("PNETCDF_FILE") is not None:
        return _TOGETHER + _FEWER
    return _EXCHANGE[kind] + _VIEW


def _example(facts: Facts, kind: str) -> str:
    """Returns example calls of the libraries that the program uses: HDF5, PnetCDF, or, without
    these, MPI-IO itself. kind: READ or WRITE."""
    call = kind.lower()
    lines = []
    if facts.table("H5F") is not None:
        lines += [
            f"H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);  H5D{call}(..., dxpl, ...)",
            "nc_var_par_access(nc, var, NC_COLLECTIVE)",
        ]
    if facts.table("PNETCDF_FILE") is not None:
        lines.append("ncmpi_put_vara_..._all;  ncmpi_iput_vara and one ncmpi_wait_all")
    return "\n".join(lines or [_CALLS[kind].format(call)])


def _posix(facts: Facts, record: int, kind: str) -> tuple[Evidence, ...]:
    """Returns the POSIX calls on a file as evidence; () if POSIX has no record of it. record: id of
    the file. kind: READ or WRITE."""
    below = facts.table("POSIX")
    place = below.place(record) if below is not None else None
    if below is None or place is None:
        return ()
    return facts.rows(
        below, place, f"{kind}S", f"SIZE_{kind}_0_100", f"SIZE_{kind}_100_1K", f"F_{kind}_TIME"
    )
