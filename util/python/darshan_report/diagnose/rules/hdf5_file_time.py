"""Time in creating, opening and closing HDF5 files that is not file-system time."""

from __future__ import annotations

from collections.abc import Iterator

from ...measure.attribution import CLOSE, FLUSH, META, OPEN, Upper
from ...summary.units import seconds, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "hdf5-file-time"
_OPERATIONS = (OPEN, FLUSH, CLOSE, META)


def _part(upper: Upper, kind: str) -> float:
    return sum(upper.times.get(f"F_{o}_{kind}_TIME", 0.0) for o in _OPERATIONS)


def find(facts: Facts) -> Iterator[Finding]:
    """The HDF5 file whose calls wait most, in MPI or inside HDF5."""
    for upper in facts.hdf5_files:
        whole = upper.time(_OPERATIONS)
        posix = _part(upper, "POSIX") + _part(upper, "STDIO")
        mpiio, waiting = _part(upper, "MPIIO"), _part(upper, "COMM")
        own = max(0.0, whole - posix - mpiio - waiting)
        limit = facts.limits["waiting.share"]
        in_mpi = waiting + mpiio
        if whole <= 0 or max(in_mpi, own) < limit * whole:
            continue
        stake = facts.stake(whole - posix, "time in these calls without that in the file system")
        if not facts.worth(stake):
            continue
        mostly_mpi = in_mpi >= own
        yield Finding(
            f"{NAME}-waiting" if mostly_mpi else f"{NAME}-inside",
            "HDF5 file calls wait in MPI"
            if mostly_mpi
            else "HDF5 itself takes the time of file calls",
            f"Of {seconds(whole)} in opening, flushing and closing {facts.name(upper.id)}, "
            f"{seconds(posix)} ({share(posix, whole)}) are POSIX calls, {seconds(mpiio)} MPI-IO "
            f"itself, {seconds(waiting)} waiting in MPI, {seconds(own)} HDF5 itself (all "
            "processes together).",
            stake=stake,
            evidence=facts.upper_rows(
                upper,
                *(f"F_{o}{k}_TIME" for o in _OPERATIONS for k in ("", "_POSIX", "_MPIIO", "_COMM")),
            ),
            remedy=(
                Remedy(
                    "Processes arrive at different times or write metadata one after the other: "
                    "let one process write metadata for all, and close files together.",
                    "H5Pset_coll_metadata_write(fapl, 1);  H5Pset_all_coll_metadata_ops(fapl, 1)\n"
                    "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
                )
                if mostly_mpi
                else Remedy(
                    "HDF5 works on its metadata: fewer objects and attributes, a newer file "
                    "format, larger metadata blocks.",
                    "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)\n"
                    "H5Pset_meta_block_size(fapl, 1 << 20);  H5Pset_mdc_config",
                )
            ),
            limits=("waiting.share",),
            covers=frozenset({upper.id}),
        )
        return
