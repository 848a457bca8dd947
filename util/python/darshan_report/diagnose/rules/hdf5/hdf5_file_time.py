"""Time in creating, opening, flushing and closing HDF5 files, and in other calls on their metadata,
that is not spent in the file system."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import CLOSE, FLUSH, META, OPEN, Upper
from ....units import seconds, share
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ..processes import dataset_read_by_all
from . import flush_per_chunk, hdf5_opened_again, many_objects

NAME = "hdf5-file-time"
ROLE = CAUSE
_OPERATIONS = (OPEN, FLUSH, CLOSE, META)
# These rules report such files.
_CAUSES = (flush_per_chunk, hdf5_opened_again, many_objects, dataset_read_by_all)
_EACH = 8  # number of small calls per process that one process could make for all


def _part(upper: Upper, kind: str) -> float:
    """Returns the seconds that the calls on a file spent in a lower layer. kind: the layer, such as
    POSIX."""
    return sum(upper.times.get(f"F_{o}_{kind}_TIME", 0.0) for o in _OPERATIONS)


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the HDF5 file with the most time in calls on files and
    metadata, if they spend it in MPI or inside HDF5 and no other rule explains it."""
    told = frozenset().union(*(f.covers for rule in _CAUSES for f in facts.found(rule.find)))
    for upper in facts.hdf5_files:
        if upper.id in told:
            continue
        whole = upper.time(_OPERATIONS)
        posix = _part(upper, "POSIX") + _part(upper, "STDIO")
        mpiio, waiting = _part(upper, "MPIIO"), _part(upper, "COMM")
        own = max(0.0, whole - posix - mpiio - waiting)
        # MPI-IO itself needs time for each open and close, and no remedy for this is known.
        most, mostly_mpi = max(waiting, own), waiting >= own
        if whole <= 0 or mpiio > most or most < facts.limits["waiting.share"] * whole:
            continue
        stake = (
            facts.stake(waiting, "time in which these calls waited in MPI")
            if mostly_mpi
            else facts.stake(whole - posix, "time in these calls without that in the file system")
        )
        if not facts.worth(stake):
            continue
        yield Finding(
            f"{NAME}-waiting" if mostly_mpi else f"{NAME}-inside",
            "HDF5 file calls wait in MPI"
            if mostly_mpi
            else "HDF5 itself takes the time of file calls",
            f"Of {seconds(whole)} in opening, flushing and closing {facts.name(upper.id)}, "
            f"{seconds(posix)} ({share(posix, whole)}) went into POSIX calls, {seconds(mpiio)} "
            f"into MPI-IO itself, {seconds(waiting)} into waiting in MPI, and {seconds(own)} into "
            "HDF5 itself (sums over all processes).",
            stake=stake,
            evidence=facts.upper_rows(
                upper,
                *(f"F_{o}{k}_TIME" for o in _OPERATIONS for k in ("", "_POSIX", "_MPIIO", "_COMM")),
            ),
            remedy=_waiting(facts, upper, posix) if mostly_mpi else _inside(facts, upper),
            limits=("waiting.share",),
            covers=frozenset({upper.id}),
        )
        return


def _waiting(facts: Facts, upper: Upper, posix: float) -> Remedy:
    """Returns the remedy for time in MPI: collective metadata if the processes make many small
    calls; otherwise fewer calls, because collective metadata would only add waits. posix: seconds
    in POSIX calls."""
    many = _EACH * facts.nprocs
    writes = upper.below("WRITES", _OPERATIONS)
    reads = upper.below("READS", _OPERATIONS)
    few = min(writes, reads) < many and max(writes, reads) < many
    if few or posix < facts.limits["waiting.share"] * upper.time(_OPERATIONS):
        return Remedy(
            "All processes take part in these calls, but they arrive at different times: "
            "open, flush and close files less often; keep one file open instead of one per step; "
            "give "
            "late processes less work before these calls.",
            "H5Fopen / H5Fclose once per run, H5Fflush once per checkpoint\n"
            "H5Pset_meta_block_size(fapl, 1 << 20): fewer, larger pieces of metadata",
        )
    calls = ["H5Pset_coll_metadata_write(fapl, 1)"] if writes >= many else []
    calls += ["H5Pset_all_coll_metadata_ops(fapl, 1)"] if reads >= many else []
    return Remedy(
        "Each process makes small metadata calls while others wait: let one process make them "
        "for all.",
        ";  ".join(calls) + "\nH5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
    )


def _inside(facts: Facts, upper: Upper) -> Remedy:
    """Returns the remedy for time inside HDF5: other filters if flushes and closes take most of the
    time and chunks pass through filters; otherwise settings for metadata."""
    if facts.attribution and upper.time((FLUSH, CLOSE)) > upper.time(_OPERATIONS) / 2:
        own = [u for u in facts.datasets if facts.attribution.file_of(u.id) == upper.id]
        if any(u.counters["FILTERS"] > 0 for u in own):
            return Remedy(
                "HDF5 filters chunks when the file is flushed or closed: use a faster filter or a "
                "lower level, no filter for data that hardly shrink, or let all processes filter "
                "their own chunks.",
                "H5Pset_deflate(dcpl, 1), H5Pset_szip, LZ4, Zstandard\n"
                "Python: create_dataset(compression='lzf')\n"
                "H5Fflush once per checkpoint;  collective H5Dwrite of filtered chunks",
            )
    return Remedy(
        "HDF5 works on its metadata: use a newer file format, larger metadata blocks, and a "
        "metadata cache that is large enough.",
        "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)\n"
        "H5Pset_meta_block_size(fapl, 1 << 20);  H5Pset_mdc_config",
    )
