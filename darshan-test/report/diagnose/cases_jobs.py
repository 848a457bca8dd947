"""Cases about cooperating processes, and about the machine that a job's metadata describes."""

from __future__ import annotations

from dataclasses import replace

from logs.model import Component, Dxt, Lustre, Module, Segment

from .build import MIB, Job, number_of, row, shared

Case = tuple[str, Job, Job]


def _on_targets(seconds_on_the_first: float) -> Job:
    """Returns a job of 32 ranks, each with a similar file of its own; four files are on each of
    eight Lustre targets. seconds_on_the_first: the time for the files on the first target."""
    rows, layouts = [], []
    for rank in range(32):
        target = rank % 8
        rows.append(
            row(
                "POSIX",
                f"/out/{rank}",
                rank,
                WRITES=64,
                SEQ_WRITES=64,
                BYTES_WRITTEN=64 * MIB,
                MAX_BYTE_WRITTEN=64 * MIB - 1,
                F_WRITE_TIME=0.5 if target else seconds_on_the_first,
            )
        )
        stripe = [Component(MIB, 1)]
        layouts.append(Lustre(number_of(f"/out/{rank}"), rank, stripe, [target + 40]))
    return Job(tuple(rows), nprocs=32, mount=b"lustre", extra=(Module("LUSTRE", 2, layouts),))


def _on_hosts(seconds_on_the_first: float) -> Job:
    """Returns a traced job with two ranks on each of six hosts; all write equal parts of one file.
    seconds_on_the_first: the duration of each write of the ranks on the first host."""
    traces = []
    for rank in range(12):
        each = seconds_on_the_first if rank < 2 else 0.05
        parts = [
            Segment((rank * 16 + i) * 4 * MIB, 4 * MIB, i * each, (i + 1) * each) for i in range(16)
        ]
        traces.append(Dxt(number_of("/a"), rank, b"node%d" % (rank // 2), parts, []))
    written = shared(
        "POSIX",
        "/a",
        OPENS=12,
        WRITES=192,
        SEQ_WRITES=192,
        BYTES_WRITTEN=768 * MIB,
        MAX_BYTE_WRITTEN=768 * MIB - 1,
        F_WRITE_TIME=8.0 + 32 * seconds_on_the_first,
    )
    return Job((written,), nprocs=12, extra=(Module("DXT_POSIX", 1, traces),))


def cases() -> list[Case]:
    """Returns the cases of this file."""
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
    by_set = Job(
        (
            row("H5D", "/f.h5:/x", -1, "/f.h5", OPENS=4, READS=4, BYTES_READ=128 * MIB,
                DATASPACE_NPOINTS=4 * MIB, DATATYPE_SIZE=8, ACCESS1_ACCESS=32 * MIB,
                ACCESS1_COUNT=4, F_READ_TIME=8.0),
        ),
        nprocs=4,
    )  # fmt: skip
    own_rows = {"READS": 16, "ACCESS1_ACCESS": 8 * MIB, "ACCESS1_COUNT": 16}
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
    each = replace(
        by_all,
        rows=(
            *by_all.rows,
            *(row("PROCESS", "host: python work.py", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
                  PARENT_RANK=-1, F_START_TIMESTAMP=2.0 * rank, F_END_TIMESTAMP=2.0 * rank + 2.0)
              for rank in range(4)),
        ),
    )  # fmt: skip
    started = Job(
        (
            *(row("POSIX", f"/data/{rank}", rank, OPENS=1, READS=1, BYTES_READ=100,
                  MAX_BYTE_READ=99, F_READ_TIME=1e-5) for rank in range(1, 201)),
            row("PROCESS", "host: sh all.sh", 0, COUNT=1, PROGRAMS=1, ENDED=1, PARENT_RANK=-1,
                F_END_TIMESTAMP=3.0),
            *(row("PROCESS", "host: md5sum x", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
                  PARENT_RANK=0, BYTES_READ=100, F_START_TIMESTAMP=0.01 * rank,
                  F_END_TIMESTAMP=0.01 * rank + 0.008) for rank in range(1, 201)),
        ),
        nprocs=201,
        seconds=3,
    )  # fmt: skip
    summed = Job(
        (
            shared("POSIX", "/data/a", OPENS=20, READS=20, BYTES_READ=20 * MIB,
                   MAX_BYTE_READ=MIB - 1, F_READ_TIME=0.02),
            shared("SHARED", "/data/a", MODULE=1, RANKS=20, LOWEST_RANK=1, HIGHEST_RANK=20),
            row("PROCESS", "host: sh all.sh", 0, COUNT=1, PROGRAMS=1, ENDED=1, PARENT_RANK=-1,
                F_END_TIMESTAMP=3.0),
            *(row("PROCESS", "host: md5sum a", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
                  PARENT_RANK=0, BYTES_READ=MIB, F_START_TIMESTAMP=0.1 * rank,
                  F_END_TIMESTAMP=0.1 * rank + 0.09) for rank in range(1, 21)),
            *(row("USAGE", "usage", rank, PROCESSES=1, F_USER_TIME=0.08, F_SYSTEM_TIME=0.005)
              for rank in range(21)),
        ),
        nprocs=21,
        seconds=3,
    )  # fmt: skip
    turns = Job(
        (
            shared("MPI-IO", "/log", INDEP_WRITES=40_000, BYTES_WRITTEN=4_000_000,
                   F_WRITE_TIME=20.0),
            shared("MPIIO_EXT", "/log", SHARED_WRITES=40_000),
        ),
        nprocs=4,
    )  # fmt: skip
    locked = Job(
        (
            *(row("MPI-IO", f"/{r}", r, INDEP_WRITES=8, BYTES_WRITTEN=128 * MIB, F_WRITE_TIME=5.0)
              for r in range(4)),
            *(row("POSIX", f"/{r}", r, WRITES=8, SEQ_WRITES=8, BYTES_WRITTEN=128 * MIB,
                  MAX_BYTE_WRITTEN=128 * MIB - 1, F_WRITE_TIME=0.1) for r in range(4)),
        ),
        nprocs=4,
        mount=b"nfs",
    )  # fmt: skip
    free = tuple(row("MPI-IO", f"/{r}", r, INDEP_WRITES=8, BYTES_WRITTEN=128 * MIB,
                     F_WRITE_TIME=0.2) for r in range(4))  # fmt: skip
    enough = waiting.metadata.replace(b"processors=2", b"processors=4")
    messages = Job(
        (
            shared("STDIO", "/halo", OPENS=4000, READS=2000, WRITES=2000, BYTES_READ=16_000,
                   BYTES_WRITTEN=16_000, MAX_BYTE_READ=7, MAX_BYTE_WRITTEN=7, F_META_TIME=20.0),
        ),
        nprocs=4,
    )  # fmt: skip
    return [
        ("tiny-collective", tiny, tiny.but(COLL_WRITES=40)),
        ("mpi-io-opened-again", again, again.but(COLL_OPENS=4)),
        ("files-as-messages", messages, messages.but(READS=40_000)),
        ("read-by-all", by_all, by_all.but(BYTES_READ=8 * MIB)),
        ("dataset-read-by-all", by_set, by_set.but(**own_rows)),
        ("read-by-each", each, each.but(BYTES_READ=8 * MIB)),
        ("repeated-by-processes", summed, summed.but(BYTES_READ=MIB // 4)),
        ("shared-pointer", turns, turns.but(1, SHARED_WRITES=100)),
        ("process-each", started, replace(started, rows=started.rows[:250])),
        ("mpi-io-itself", locked, replace(locked, rows=(*free, *locked.rows[4:]))),
        ("storage-targets", _on_targets(0.6), replace(_on_targets(0.6), extra=())),
        ("slow-hosts", _on_hosts(0.4), _on_hosts(0.06)),
        ("slow-targets", _on_targets(8.0), _on_targets(0.6)),
        ("ranks-outnumber-processors", waiting, replace(waiting, metadata=enough)),
    ]
