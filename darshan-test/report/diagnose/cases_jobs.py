"""Cases about processes that meet, and about what a job says of its machine."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, shared

Case = tuple[str, Job, Job]


def cases() -> list[Case]:
    """What processes of a job do together."""
    tiny = Job(
        (
            shared("MPI-IO", "/a", COLL_WRITES=4000, BYTES_WRITTEN=32000, F_WRITE_TIME=20.0),
            shared("POSIX", "/a", WRITES=1000, BYTES_WRITTEN=32000, F_WRITE_TIME=0.1),
        ),
        nprocs=4,
    )
    again = Job(
        (shared("MPI-IO", "/a", COLL_OPENS=400, F_META_TIME=20.0),),
        nprocs=4,
    )
    by_all = Job(
        (
            shared(
                "POSIX",
                "/a",
                OPENS=4,
                READS=8192,
                BYTES_READ=32 * MIB,
                MAX_BYTE_READ=8 * MIB - 1,
                SEQ_READS=8188,
                SIZE_READ_1K_10K=8192,
                F_READ_TIME=8.0,
            ),
        ),
        nprocs=4,
    )
    waiting = Job(
        (
            shared("MPI-IO", "/a", COLL_WRITES=40, BYTES_WRITTEN=400 * MIB, F_WRITE_TIME=30.0),
            shared(
                "POSIX",
                "/a",
                WRITES=40,
                BYTES_WRITTEN=400 * MIB,
                SEQ_WRITES=40,
                MAX_BYTE_WRITTEN=400 * MIB - 1,
                F_WRITE_TIME=2.0,
                F_SLOWEST_RANK_TIME=0.5,
            ),
        ),
        nprocs=4,
        metadata=b"lib_ver=3.5.0\nnodes=1\nprocessors=2\n",
    )
    enough = waiting.metadata.replace(b"processors=2", b"processors=4")
    return [
        ("tiny-collective", tiny, tiny.but(COLL_WRITES=40)),
        ("mpi-io-opened-again", again, again.but(COLL_OPENS=4)),
        ("read-by-all", by_all, by_all.but(BYTES_READ=8 * MIB)),
        ("ranks-outnumber-processors", waiting, replace(waiting, metadata=enough)),
    ]
