"""Cases about heat maps and waits over time; cases.py explains what a case is."""

from __future__ import annotations

from dataclasses import replace

from logs.model import Heatmap, Module

from .build import MIB, Job, number_of, row, shared

Case = tuple[str, Job, Job]


def _heat(layer: str, rank: int, bins: list[int]) -> Heatmap:
    """Returns a heat map of a rank, with bytes written in each bin."""
    return Heatmap(number_of(f"heatmap:{layer}"), rank, 0.1, bins, [0] * len(bins))


# Bins of a turn; a bin is 0.1 s.
_TURN = 7


def waits(turns: int, *, wait: bool) -> tuple[Module, ...]:
    """Returns the heat maps and the waits of eight ranks. The first `turns` ranks move bytes one
    after another, each for seven bins of 0.1 s. wait: whether the other ranks wait during these
    turns; otherwise they wait afterwards."""

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


def cases() -> list[Case]:
    """Returns the cases about heat maps."""
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
    pieces = tuple(
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
    appended = Job(
        (
            shared("POSIX", "/a", OPENS=4000, WRITES=4000, SEQ_WRITES=4000, CONSEC_WRITES=4000,
                   BYTES_WRITTEN=8 * MIB, MAX_BYTE_WRITTEN=8 * MIB - 1, F_META_TIME=0.2,
                   F_WRITE_TIME=0.2),
            shared("SITES", "open;/a.py:3:save", FRAMES=1, PROCESSES=8, OPENS=4000,
                   F_GAP_MEDIUM_TIME=36.0, FILE_BITS=1, FILE1_BY_CALLS=number_of("/a"),
                   FILE1_CALLS=4000),
            named,
        ),
        nprocs=8, extra=waits(8, wait=True),
    )  # fmt: skip
    enough = tuple(_heat("POSIX", r, [MIB] * 100) for r in range(4))
    return [
        ("written-in-turns", appended, appended.but(1, F_GAP_MEDIUM_TIME=1.2)),
        ("slowing-down", slowing, steady),
        ("ranks-wait-for-io", turns, replace(turns, extra=waits(8, wait=False))),
        ("one-process-does-all", reader, replace(reader, extra=waits(1, wait=False))),
        ("aggregators", few, replace(few, extra=(Module("HEATMAP", 1, list(enough)),))),
    ]
