"""The smallest log with each diagnosis, and the most similar log without it. A case is (name of the
finding, job with it, job without it). The two jobs differ only in what the diagnosis is about."""

from __future__ import annotations

from dataclasses import replace

from logs.model import Heatmap, Module

from . import (
    cases_checkpoints,
    cases_costly,
    cases_hdf5,
    cases_jobs,
    cases_streams,
    cases_training,
)
from .build import MIB, Job, number_of, row, shared

Case = tuple[str, Job, Job]
GIB = 1 << 30


def posix() -> list[Case]:
    """Cases about files."""
    reread = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=100,
                BYTES_READ=400 * MIB,
                MAX_BYTE_READ=100 * MIB - 1,
                SEQ_READS=100,
                F_READ_TIME=6.0,
            ),
        )
    )
    rewritten = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=100,
                BYTES_WRITTEN=400 * MIB,
                MAX_BYTE_WRITTEN=100 * MIB - 1,
                SEQ_WRITES=100,
                F_WRITE_TIME=6.0,
            ),
        )
    )
    copied = Job(
        (
            row(
                "POSIX",
                "/d/a",
                READS=90,
                BYTES_READ=90 * MIB,
                MAX_BYTE_READ=10 * MIB - 1,
                WRITES=9,
                BYTES_WRITTEN=9000,
                F_READ_TIME=1.0,
            ),
            row(
                "POSIX",
                "/d/.a.bck",
                WRITES=90,
                BYTES_WRITTEN=90 * MIB,
                MAX_BYTE_WRITTEN=10 * MIB - 1,
                F_WRITE_TIME=2.0,
            ),
        )
    )
    small = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=50000,
                SEQ_READS=50000,
                BYTES_READ=5000000,
                MAX_BYTE_READ=4999999,
                SIZE_READ_0_100=50000,
                F_READ_TIME=3.0,
            ),
        )
    )
    small_writes = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=50000,
                SEQ_WRITES=50000,
                BYTES_WRITTEN=5000000,
                MAX_BYTE_WRITTEN=4999999,
                SIZE_WRITE_0_100=50000,
                F_WRITE_TIME=3.0,
            ),
        )
    )
    odd = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=2000,
                SEQ_WRITES=2000,
                BYTES_WRITTEN=4000 * MIB,
                MAX_BYTE_WRITTEN=4000 * MIB,
                SIZE_WRITE_1M_4M=2000,
                FILE_NOT_ALIGNED=1900,
                FILE_ALIGNMENT=MIB,
                F_WRITE_TIME=8.0,
            ),
        ),
        mount=b"lustre",
    )
    refilled = Job(
        (
            row("POSIX", "/table", OPENS=1, READS=20000, SEEKS=20000, BYTES_READ=20000 * 8191,
                MAX_BYTE_READ=200_000, SIZE_READ_1K_10K=20000, ACCESS1_ACCESS=8191,
                ACCESS1_COUNT=20000, F_READ_TIME=2.0, F_META_TIME=1.0),
        ),
        metadata=b"lib_ver=3.5.0\nlanguage=C++\n",
    )  # fmt: skip
    random = Job(
        (
            row(
                "POSIX",
                "/a",
                OPENS=1,
                READS=10000,
                SEQ_READS=5000,
                BYTES_READ=2000 * MIB,
                MAX_BYTE_READ=4000 * MIB,
                SIZE_READ_100K_1M=10000,
                F_READ_TIME=8.0,
            ),
        )
    )
    random_writes = Job(
        (
            row(
                "POSIX",
                "/a",
                OPENS=1,
                WRITES=10000,
                SEQ_WRITES=5000,
                BYTES_WRITTEN=2000 * MIB,
                MAX_BYTE_WRITTEN=4000 * MIB,
                SIZE_WRITE_100K_1M=10000,
                F_WRITE_TIME=8.0,
            ),
        )
    )
    switches = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=5000,
                WRITES=5000,
                SEQ_READS=5000,
                SEQ_WRITES=5000,
                RW_SWITCHES=9999,
                BYTES_READ=1000 * MIB,
                BYTES_WRITTEN=1000 * MIB,
                MAX_BYTE_READ=1000 * MIB,
                MAX_BYTE_WRITTEN=1000 * MIB,
                SIZE_READ_100K_1M=5000,
                SIZE_WRITE_100K_1M=5000,
                F_READ_TIME=4.0,
                F_WRITE_TIME=4.0,
            ),
        )
    )
    opened = Job((row("POSIX", "/a", OPENS=5000, STATS=5000, F_META_TIME=4.0),))
    metadata = Job(
        tuple(row("POSIX", f"/a{i}", OPENS=2, STATS=2, F_META_TIME=0.01) for i in range(400))
    )
    many = Job(
        tuple(
            row(
                "POSIX",
                f"/m/{i}",
                OPENS=1,
                READS=1,
                BYTES_READ=4096,
                MAX_BYTE_READ=4095,
                F_META_TIME=0.002,
            )
            for i in range(1500)
        )
    )
    synced = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=100,
                BYTES_WRITTEN=100 * MIB,
                SEQ_WRITES=100,
                FSYNCS=100,
                MAX_BYTE_WRITTEN=100 * MIB,
                F_WRITE_TIME=6.0,
            ),
            row("POSIX_EXT", "/a", F_FSYNC_TIME=5.0),
        )
    )
    lonely = Job((row("POSIX_EXT", "/a", LOCKS=2_000_000, F_LOCK_TIME=4.0),))
    locked = Job((row("POSIX_EXT", "/a", LOCKS=200, F_LOCK_TIME=4.0),))
    missing = Job(
        (
            row("POSIX_EXT", "/data/done", MISSES=4900, F_MISS_TIME=3.9),
            row("POSIX_EXT", "<other paths>", MISSES=100, F_MISS_TIME=0.1),
        )
    )
    listing = Job(
        (row("POSIX_EXT", "<other paths>", DIR_OPENS=500, DIR_REOPENS=499, F_LIST_TIME=4.0),)
    )
    telling = Job((row("POSIX", "/a", OPENS=1, SEEKS=2_000_000, F_META_TIME=4.0),))
    aligned = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=2000,
                SEQ_READS=2000,
                BYTES_READ=2000 * MIB,
                MAX_BYTE_READ=2000 * MIB,
                SIZE_READ_1M_4M=2000,
                MEM_NOT_ALIGNED=1900,
                MEM_ALIGNMENT=8,
                F_READ_TIME=2.0,
            ),
        )
    )
    mapped = Job(
        (
            row("POSIX", "/a", MMAPS=1),
            row("POSIX_EXT", "/a", MMAP_BYTES=10 * MIB, MMAP_TOUCHED=10 * MIB),
        )
    )
    stored = Job(
        (
            row("POSIX", "/a", OPENS=1, READS=1, BYTES_READ=MIB),
            row("USAGE", "<process>", PROCESSES=1, STORAGE_READ=400 * MIB, F_BLOCKED_TIME=9.0),
        )
    )
    paged = Job(
        (
            row("POSIX", "/a", OPENS=1, MMAPS=1),
            row("POSIX_EXT", "/a", MMAP_BYTES=64 * MIB, MMAP_TOUCHED=64 * MIB),
            row("USAGE", "<process>", PROCESSES=1, STORAGE_READ=64 * MIB, MAJOR_FAULTS=16384,
                F_BLOCKED_TIME=2.0),
        )
    )  # fmt: skip
    ring = Job((row("POSIX", "/a", OPENS=1), row("POSIX_EXT", "/a", URING_RINGS=1, URING_UNSEEN=3)))
    inside = Job((row("POSIX", "/a.h5", OPENS=1, READS=9, SIZE_READ_0_100=5, BYTES_READ=900),))
    static = Job(
        tuple(
            row("PROCESS", f"host: {name}", rank, COUNT=1, PROGRAMS=1, PARENT_RANK=-1)
            for rank, name in enumerate(("bash x.sh", "(not seen)"))
        ),
        nprocs=2,
    )
    seen = tuple(replace(one, name="host: cat") for one in static.rows[1:])
    partial = Job((row("POSIX", "/a", OPENS=1),), partial=("POSIX",))
    fine = Job((row("POSIX", "/a", OPENS=1, READS=1, BYTES_READ=10, F_READ_TIME=0.01),))
    zipped = Job(
        (
            row("POSIX", "/a.gz", OPENS=1, WRITES=50, BYTES_WRITTEN=9 * MIB),
            row("SITES", "write;/usr/lib/python3.11/gzip.py:9:GzipFile.write;/a.py:3:save",
                FRAMES=2, PROCESSES=1, WRITES=50, BYTES_WRITTEN=9 * MIB, F_GAP_LONG_TIME=5.0),
        )
    )  # fmt: skip
    parsed = Job(
        (
            row("POSIX", "/a.csv", OPENS=1, READS=50, BYTES_READ=9 * MIB),
            row("SITES", "read;/v/site-packages/pandas/io/parsers.py:9:read_csv;/a.py:3:load",
                FRAMES=2, PROCESSES=1, READS=50, BYTES_READ=9 * MIB, F_GAP_MEDIUM_TIME=5.0),
        )
    )  # fmt: skip
    edited = Job(
        (
            row("POSIX", "/table", OPENS=200, READS=100, BYTES_READ=100 * MIB, WRITES=100,
                MAX_BYTE_READ=MIB - 1, BYTES_WRITTEN=100 * MIB, MAX_BYTE_WRITTEN=MIB - 1,
                SEQ_READS=99, SEQ_WRITES=99, F_READ_TIME=2.0, F_WRITE_TIME=3.0, F_META_TIME=0.5),
        )
    )  # fmt: skip
    whole = Job(
        (
            row("POSIX", "/a.json", OPENS=100, WRITES=100, BYTES_WRITTEN=1000000,
                MAX_BYTE_WRITTEN=19999, F_META_TIME=4.0, F_WRITE_TIME=1.0),
        )
    )  # fmt: skip
    program = [
        row("POSIX", f"/v/site-packages/{i}.py", OPENS=1, F_META_TIME=0.01) for i in range(600)
    ]
    imports = Job(tuple(program))
    return [
        ("conversion-writing", zipped, zipped.but(1, F_GAP_LONG_TIME=0.9)),
        ("conversion-reading", parsed, parsed.but(1, F_GAP_MEDIUM_TIME=2.0)),
        ("rewritten-whole-edited", edited, edited.but(BYTES_READ=20 * MIB)),
        ("rewritten-whole", whole, whole.but(MAX_BYTE_WRITTEN=9999)),
        ("program-files", imports, replace(imports, rows=imports.rows[:400])),
        ("same-bytes-again-read", reread, reread.but(MAX_BYTE_READ=300 * MIB)),
        ("same-bytes-again-written", rewritten, rewritten.but(MAX_BYTE_WRITTEN=300 * MIB)),
        ("whole-file-copy", copied, copied.but(WRITES=0, BYTES_WRITTEN=0)),
        ("small-accesses-read", small, small.but(F_READ_TIME=0.1)),
        ("small-accesses-write", small_writes,
         small_writes.but(SIZE_WRITE_0_100=0, SIZE_WRITE_1M_4M=50000)),
        ("unaligned", odd, replace(odd, mount=b"ext4")),
        ("random-access-read", random, random.but(SEQ_READS=9999)),
        ("random-access-write", random_writes, random_writes.but(SEQ_WRITES=9999)),
        ("read-write-alternation", switches, switches.but(RW_SWITCHES=2)),
        ("opened-again", opened, opened.but(OPENS=5, STATS=5)),
        ("metadata", metadata, replace(metadata, seconds=1000)),
        ("many-small-files", many, replace(many, rows=many.rows[:90])),
        ("syncs", synced, synced.but(1, F_FSYNC_TIME=0.1)),
        ("waits-for-locks-of-nobody", lonely, lonely.but(LOCKS=4000)),
        ("waits-for-locks", locked, locked.but(F_LOCK_TIME=0.04)),
        ("failed-lookups", missing, missing.but(MISSES=50)),
        ("listed-again", listing, listing.but(DIR_REOPENS=20)),
        ("stream-seeks-refill", refilled, refilled.but(SEEKS=2000)),
        ("seeks", telling, telling.but(SEEKS=2000)),
        ("memory-alignment", aligned, aligned.but(MEM_NOT_ALIGNED=0)),
        ("unseen-mapped", mapped, mapped.but(1, MMAP_TOUCHED=4096)),
        ("mapped-faults", paged, paged.but(2, STORAGE_READ=640 * MIB)),
        ("unseen-storage", stored, stored.but(1, STORAGE_READ=MIB)),
        ("unseen-io-uring", ring, ring.but(1, URING_UNSEEN=0)),
        ("unseen-hdf5", inside, inside.but(SIZE_READ_0_100=1)),
        ("unseen-programs", static, replace(static, rows=(static.rows[0], *seen))),
        ("incomplete", partial, replace(partial, partial=())),
        ("as-it-should-be-sequential", small, small.but(SEQ_READS=100)),
        ("balance", fine, fine.but(BYTES_READ=0)),
        ("fine", fine, small),
    ]  # fmt: skip


def parallel() -> list[Case]:
    """Cases about jobs of several processes."""
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
                MAX_BYTE_WRITTEN=10 * MIB,
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


def _heat(layer: str, rank: int, bins: list[int]) -> Heatmap:
    return Heatmap(number_of(f"heatmap:{layer}"), rank, 0.1, bins, [0] * len(bins))


_TURN = 7  # bins


def waits(turns: int, *, wait: bool) -> tuple[Module, ...]:
    """Returns heat maps and waits of eight ranks, of which the first move bytes in turn, for seven
    bins of 0.1 s each. wait: the other ranks wait meanwhile, not later."""

    def of(rank: int, value: int, *, moves: bool) -> list[int]:
        place = [at // _TURN for at in range(16 * _TURN)]
        if moves:
            return [value * (rank == at < turns) for at in place]
        return [value * (at < turns and rank != at if wait else at >= turns) for at in place]

    none, ns = [0] * 16 * _TURN, 100_000_000
    heats = [
        Heatmap(number_of("heatmap:POSIX"), rank, 0.1, none, of(rank, MIB, moves=True))
        for rank in range(turns)
    ]
    of_ranks = [
        Heatmap(number_of("heatmap:MPIWAIT"), rank, 0.1, of(rank, ns, moves=False), none)
        for rank in range(8)
    ]
    return Module("HEATMAP", 1, list(heats)), Module("MPIWAIT", 1, list(of_ranks))


def over_time() -> list[Case]:
    """Cases about heat maps."""
    busy = row(
        "POSIX",
        "/a",
        WRITES=100,
        SEQ_WRITES=100,
        BYTES_WRITTEN=200 * MIB,
        MAX_BYTE_WRITTEN=200 * MIB,
        F_WRITE_TIME=9.0,
    )
    named = row("STDIO", "heatmap:POSIX")  # this record gives the heat map its name
    falling = [8 * MIB - i * 80000 for i in range(100)]
    slowing = Job((busy, named), extra=(Module("HEATMAP", 1, [_heat("POSIX", 0, falling)]),))
    steady = replace(slowing, extra=(Module("HEATMAP", 1, [_heat("POSIX", 0, [MIB] * 100)]),))
    few = Job(
        (shared("MPI-IO", "/a", COLL_WRITES=400, BYTES_WRITTEN=400 * MIB, F_WRITE_TIME=30.0),
         shared("POSIX", "/a", WRITES=100, BYTES_WRITTEN=400 * MIB, SEQ_WRITES=100,
                MAX_BYTE_WRITTEN=400 * MIB - 1, F_WRITE_TIME=3.0, F_SLOWEST_RANK_TIME=3.0),
         named),
        nprocs=8, metadata=b"lib_ver=3.5.0\nnodes=4\n",
        extra=(Module("HEATMAP", 1, [_heat("POSIX", 0, [MIB] * 100)]),),
    )  # fmt: skip
    pieces = (
        row("POSIX", f"/part{rank}", rank, OPENS=1, READS=8, SEQ_READS=7, BYTES_READ=8 * MIB,
            MAX_BYTE_READ=8 * MIB - 1, F_READ_TIME=0.7)
        for rank in range(8)
    )  # fmt: skip
    turns = Job((*pieces, named), nprocs=8, extra=waits(8, wait=True))
    one = row(
        "POSIX", "/a", OPENS=1, READS=200, SEQ_READS=199, BYTES_READ=200 * MIB,
        MAX_BYTE_READ=200 * MIB - 1, F_READ_TIME=0.7,
    )  # fmt: skip
    reader = Job((one, named), nprocs=8, extra=waits(1, wait=True))
    enough = tuple(_heat("POSIX", r, [MIB] * 100) for r in range(4))
    return [
        ("slowing-down", slowing, steady),
        ("ranks-wait-for-io", turns, replace(turns, extra=waits(8, wait=False))),
        ("one-process-does-all", reader, replace(reader, extra=waits(1, wait=False))),
        ("aggregators", few, replace(few, extra=(Module("HEATMAP", 1, list(enough)),))),
    ]


CASES = [
    *cases_hdf5.cases(),
    *cases_jobs.cases(),
    *posix(),
    *cases_streams.streams(),
    *parallel(),
    *over_time(),
    *cases_costly.cases(),
    *cases_training.cases(),
    *cases_checkpoints.cases(),
]
