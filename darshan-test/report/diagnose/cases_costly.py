"""Cases about time in one kind of calls that no other diagnosis names; cases.py explains what a
case is."""

from __future__ import annotations

from .build import MIB, Job, row


def _one(module: str, **values: float) -> Job:
    """Returns a job with one record. values: its counters."""
    return Job((row(module, "/data/a", **values),))


def cases() -> list[tuple[str, Job, Job]]:
    """Returns for each diagnosis a job that has it and one that does not. The first job spends
    seconds in one kind of calls, in too few of them for any other diagnosis; the second one little
    time."""
    reads = _one("POSIX", OPENS=1, READS=900, SEQ_READS=900, BYTES_READ=9_000_000,
                 MAX_BYTE_READ=9_000_000, SIZE_READ_1K_10K=900, F_READ_TIME=2.0)  # fmt: skip
    writes = _one("POSIX", OPENS=1, WRITES=900, SEQ_WRITES=900, BYTES_WRITTEN=9_000_000,
                  MAX_BYTE_WRITTEN=9_000_000, SIZE_WRITE_1K_10K=900, F_WRITE_TIME=2.0)  # fmt: skip
    opens = _one("POSIX", OPENS=9, SEEKS=900, READS=9, BYTES_READ=900, F_META_TIME=2.0)
    lookups = Job((row("POSIX_EXT", "/data/a", MISSES=900, F_MISS_TIME=2.0, F_META_TIME=2.0),))
    listings = Job(
        (row("POSIX_EXT", "/data", DIR_OPENS=9, DIR_REOPENS=8, DIR_ENTRIES=900, F_LIST_TIME=2.0),)
    )
    syncs = Job(
        (
            row("POSIX", "/data/a", WRITES=90, BYTES_WRITTEN=90 * 1000, FSYNCS=90,
                F_WRITE_TIME=2.0),
            row("POSIX_EXT", "/data/a", F_FSYNC_TIME=2.0),
        )
    )  # fmt: skip
    buffers = Job(
        (
            row("STDIO", "/data/a", OPENS=1, READS=900_000, BYTES_READ=900_000, F_READ_TIME=2.0),
            row("STDIO_EXT", "/data/a", FILLS=9, FILLED_BYTES=900_000, F_FILL_TIME=0.001),
        )
    )
    hdf5 = Job(
        (
            row("LAYERS", "/f.h5:/d", UPPER_MODULE=4, READ_CALLS=20,
                BYTES_ASKED_READ=MIB, DISTINCT_BYTES_READ=MIB, F_READ_TIME=2.0),
            row("H5D", "/f.h5:/d", file="/f.h5", READS=20, BYTES_READ=20 * MIB),
        )
    )  # fmt: skip
    in_mpi = Job(
        (
            row(
                "LAYERS",
                "/data/a",
                UPPER_MODULE=2,
                WRITE_CALLS=20,
                F_WRITE_TIME=2.0,
                F_WRITE_MPIIO_TIME=2.0,
            ),
            row("MPI-IO", "/data/a", COLL_WRITES=20, BYTES_WRITTEN=MIB, F_WRITE_TIME=2.0),
        )
    )
    talk = in_mpi.but(F_WRITE_MPIIO_TIME=0.1, F_WRITE_COMM_TIME=1.9)
    mappings = Job(
        (
            row("POSIX", "/data/a", OPENS=1, MMAPS=2, F_META_TIME=2.0),
            row("POSIX_EXT", "/data/a", MMAP_BYTES=8 * MIB, F_MAP_TIME=1.9),
        )
    )
    return [
        ("costly-mappings", mappings, mappings.but(1, F_MAP_TIME=0.04)),
        ("costly-hdf5", hdf5, hdf5.but(F_READ_TIME=0.04)),
        ("costly-mpiio", in_mpi, in_mpi.but(F_WRITE_MPIIO_TIME=0.04)),
        ("costly-communication", talk, talk.but(F_WRITE_COMM_TIME=0.04)),
        ("costly-reads", reads, reads.but(F_READ_TIME=0.04)),
        ("costly-writes", writes, writes.but(F_WRITE_TIME=0.04)),
        ("costly-opens", opens, opens.but(F_META_TIME=0.04)),
        ("costly-lookups", lookups, lookups.but(F_MISS_TIME=0.04, F_META_TIME=0.04)),
        ("costly-listings", listings, listings.but(F_LIST_TIME=0.04)),
        ("costly-syncs", syncs, syncs.but(1, F_FSYNC_TIME=0.04)),
        ("costly-buffers", buffers, buffers.but(F_READ_TIME=0.04)),
    ]
