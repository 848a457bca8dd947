"""Cases about files that several processes use; cases.py explains what a case is."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, row, shared

Case = tuple[str, Job, Job]


def cases() -> list[Case]:
    """Returns the cases about jobs of several processes."""
    alone = Job(
        (
            shared(
                "MPI-IO",
                "/a",
                COLL_OPENS=4,
                INDEP_WRITES=40000,
                BYTES_WRITTEN=40 * MIB,
                F_WRITE_TIME=20.0,
            ),
            shared(
                "POSIX",
                "/a",
                WRITES=40000,
                SEQ_WRITES=40000,
                BYTES_WRITTEN=40 * MIB,
                MAX_BYTE_WRITTEN=40 * MIB,
                SIZE_WRITE_100_1K=40000,
                F_WRITE_TIME=18.0,
            ),
        ),
        nprocs=4,
    )
    reads = Job(
        (
            shared(
                "MPI-IO",
                "/a",
                COLL_OPENS=4,
                INDEP_READS=40000,
                BYTES_READ=40 * MIB,
                F_READ_TIME=20.0,
            ),
        ),
        nprocs=4,
    )
    pieces = Job(
        (
            shared(
                "MPI-IO",
                "/a",
                COLL_OPENS=4,
                COLL_WRITES=400,
                BYTES_WRITTEN=40 * MIB,
                F_WRITE_TIME=20.0,
            ),
            shared(
                "POSIX",
                "/a",
                WRITES=40000,
                SEQ_WRITES=40000,
                BYTES_WRITTEN=40 * MIB,
                MAX_BYTE_WRITTEN=40 * MIB,
                SIZE_WRITE_1K_10K=40000,
                F_WRITE_TIME=18.0,
            ),
        ),
        nprocs=4,
    )
    sieved = Job(
        (
            shared("MPI-IO", "/a", INDEP_WRITES=100, BYTES_WRITTEN=40 * MIB, F_WRITE_TIME=20.0),
            shared(
                "POSIX",
                "/a",
                READS=400,
                BYTES_READ=400 * MIB,
                WRITES=400,
                SEQ_READS=400,
                SEQ_WRITES=400,
                BYTES_WRITTEN=400 * MIB,
                MAX_BYTE_READ=400 * MIB,
                MAX_BYTE_WRITTEN=400 * MIB,
                F_READ_TIME=10.0,
                F_WRITE_TIME=8.0,
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
                MAX_BYTE_WRITTEN=400 * MIB,
                F_WRITE_TIME=2.0,
            ),
        ),
        nprocs=4,
    )
    no_mpiio = Job(
        (
            shared(
                "POSIX",
                "/a",
                WRITES=40000,
                SEQ_WRITES=40000,
                BYTES_WRITTEN=40 * MIB,
                MAX_BYTE_WRITTEN=40 * MIB,
                SIZE_WRITE_1K_10K=40000,
                F_WRITE_TIME=18.0,
            ),
        ),
        nprocs=4,
    )
    uneven = Job(
        tuple(
            row(
                "POSIX",
                f"/a{r}",
                rank=r,
                WRITES=10,
                BYTES_WRITTEN=(40 if r == 2 else 10) * MIB,
                MAX_BYTE_WRITTEN=(40 if r == 2 else 10) * MIB,
                F_WRITE_TIME=8.0 if r == 2 else 0.5,
            )
            for r in range(4)
        ),
        nprocs=4,
    )
    slow_rank = Job(
        (
            shared(
                "POSIX",
                "/a",
                WRITES=40,
                BYTES_WRITTEN=40 * MIB,
                SEQ_WRITES=40,
                MAX_BYTE_WRITTEN=40 * MIB,
                F_WRITE_TIME=9.5,
                SLOWEST_RANK=3,
                SLOWEST_RANK_BYTES=30 * MIB,
                F_SLOWEST_RANK_TIME=8.0,
                F_FASTEST_RANK_TIME=0.5,
            ),
        ),
        nprocs=4,
    )
    contended = Job(
        (
            shared(
                "POSIX", "/a", WRITES=2000, SEQ_WRITES=2000, BYTES_WRITTEN=4000 * MIB,
                MAX_BYTE_WRITTEN=4000 * MIB, SIZE_WRITE_1M_4M=2000, FILE_NOT_ALIGNED=1900,
                FILE_ALIGNMENT=MIB, F_WRITE_TIME=35.0,
            ),
        ),
        nprocs=4,
    )  # fmt: skip
    apart = Job(
        tuple(
            row(
                "POSIX",
                f"/out/{r}",
                rank=r,
                OPENS=1,
                WRITES=1,
                BYTES_WRITTEN=2 * MIB,
                MAX_BYTE_WRITTEN=2 * MIB - 1,
                F_META_TIME=1.0,
            )
            for r in range(1000)
        ),
        nprocs=1000,
    )
    blocking = Job(
        (shared("MPI-IO", "/a", COLL_WRITES=4000, BYTES_WRITTEN=4000 * MIB, F_WRITE_TIME=30.0),),
        nprocs=4,
    )
    return [
        ("independent-shared-write", alone, alone.but(COLL_WRITES=90000)),
        ("independent-shared-read", reads, reads.but(INDEP_READS=400)),
        ("collective-not-aggregated", pieces, pieces.but(1, WRITES=40, SEQ_WRITES=40,
                                                         SIZE_WRITE_1K_10K=0,
                                                         SIZE_WRITE_1M_4M=40)),
        ("read-modify-write", sieved, sieved.but(0, BYTES_READ=400 * MIB)),
        ("waiting-in-mpi-io", waiting, waiting.but(1, F_WRITE_TIME=25.0)),
        ("no-mpi-io", no_mpiio, replace(no_mpiio, nprocs=1)),
        ("imbalance", uneven, uneven.but(2, F_WRITE_TIME=0.5)),
        ("imbalance-shared", slow_rank, slow_rank.but(F_SLOWEST_RANK_TIME=2.5)),
        ("shared-file-contention", contended, contended.but(FILE_NOT_ALIGNED=0)),
        ("file-per-process", apart, replace(apart, nprocs=1001)),
        ("blocking-only", blocking, blocking.but(NB_WRITES=10)),
        ("as-it-should-be-collective", waiting, waiting.but(INDEP_WRITES=4000)),
    ]  # fmt: skip
