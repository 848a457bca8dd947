"""Every process reads the metadata of a parallel HDF5 file for itself."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import ATTR, META, OPEN, Upper
from ....units import count, plural
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "collective-metadata"
ROLE = CAUSE
_EACH = 8  # small reads per process


@needs("H5F")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the first parallel HDF5 file of which every process reads the
    metadata itself, with many reads that take much time."""
    h5f = facts.table("H5F")
    if h5f is None or not facts.together:
        return
    for upper in facts.hdf5_files:
        place = h5f.place(upper.id)
        if place is None or int(h5f["USE_MPIIO"][place]) <= 0:
            continue
        owned = [upper, *_datasets(facts, upper.id)]
        asking = (OPEN, ATTR, META)
        reads = sum(u.below("READS", asking) for u in owned)
        time = sum(u.time(asking) for u in owned)
        if reads < _EACH * facts.nprocs or reads < facts.limits["operations"] / 10:
            continue
        if _by_one(facts, upper.id, sum(u.below("BYTES_READ", asking) for u in owned)):
            continue
        stake = facts.stake(
            time * (1 - 1 / facts.nprocs),
            "time in opens, attributes and other metadata calls that one process could do for all",
        )
        if not facts.worth(stake):
            continue
        yield Finding(
            NAME,
            "Every process reads the file's metadata itself",
            f"{plural(facts.nprocs, 'process')} made {count(reads)} POSIX reads for the metadata "
            f"of {facts.name(upper.id)}: each of them reads the same headers.",
            stake=stake,
            evidence=facts.upper_rows(
                upper,
                "OPEN_POSIX_READS",
                "ATTR_POSIX_READS",
                "META_POSIX_READS",
                "F_OPEN_TIME",
                "F_ATTR_TIME",
                "F_META_TIME",
            ),
            remedy=Remedy(
                "Make metadata operations collective: one process reads and sends the data to "
                "the others.",
                "H5Pset_all_coll_metadata_ops(fapl, 1);  H5Pset_coll_metadata_write(fapl, 1)\n"
                "HDF5 1.10: H5Pset_all_coll_metadata_ops(dapl, 1) as well;  "
                "H5Dopen2(file, name, dapl)",
            ),
            limits=("operations",),
            covers=frozenset({upper.id}),
        )
        return


def _by_one(facts: Facts, file: int, asked: int) -> bool:
    """Returns whether some process reads far less than its share of a file's metadata, because
    another process reads it for all. file: its id; asked: bytes of metadata that all processes
    read."""
    lower = facts.table("POSIX")
    place = lower.place(file) if lower is not None else None
    if lower is None or place is None or not lower.shared[place]:
        return False
    return bool(lower["FASTEST_RANK_BYTES"][place] < asked / facts.nprocs / 2)


def _datasets(facts: Facts, file: int) -> list[Upper]:
    """Returns the datasets of a file; [] if the log does not attribute calls to datasets. file: its
    id."""
    attribution = facts.attribution
    if attribution is None:
        return []
    return [u for u in facts.datasets if attribution.file_of(u.id) == file]
