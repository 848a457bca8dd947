"""Cases about processes and their files: a loop that sleeps between two look-ups of a file, and the
same loop without a pause; processes that write a whole file again, and processes that append to it;
threads that take turns; a loop that spins for a lock file. cases.py explains what a case is."""

from __future__ import annotations

from .build import MIB, Job, Row, number_of, row, shared

Case = tuple[str, Job, Job]


def _looks(**values: float) -> Row:
    """Returns the call site of a loop that looks for a file every half second. values: further
    counters."""
    return row(
        "SITES", "stat;/a.py:3:wait", FRAMES=1, PROCESSES=1, LOOKUPS=16, GAPS_LONG=12,
        F_LOOKUP_TIME=0.001, F_GAP_LONG_TIME=6.0, **values,
    )  # fmt: skip


def _found(number: int) -> dict[str, float]:
    """Returns the counters of a call site that found the file /flag. number: how many of its calls
    found the file."""
    return {"FILE1_BY_CALLS": number_of("/flag"), "FILE1_CALLS": number, "FILE_BITS": 1}


def _process(rank: int, command: str, slept: float) -> tuple[Row, Row]:
    """Returns the PROCESS and USAGE records of a process that lived for ten seconds and computed
    for one. slept: its seconds without running."""
    return (
        row("PROCESS", f"host: {command}", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
            PARENT_RANK=rank - 1, F_END_TIMESTAMP=10.0),
        row("USAGE", "usage", rank, PROCESSES=1, F_USER_TIME=1.0, F_BLOCKED_TIME=slept),
    )  # fmt: skip


def _archived() -> Job:
    """Returns a script that starts a process for each of 40 members of an archive; each process
    writes the whole archive again."""
    members = 40
    written = members * (members + 1) // 2 * MIB
    return Job(
        (
            shared("POSIX", "/all.a", OPENS=2 * members, READS=100, WRITES=100, BYTES_READ=written,
                   BYTES_WRITTEN=written, MAX_BYTE_READ=members * MIB - 1,
                   MAX_BYTE_WRITTEN=members * MIB - 1, F_READ_TIME=1.0, F_WRITE_TIME=2.0),
            shared("SHARED", "/all.a", MODULE=1, RANKS=members, LOWEST_RANK=1,
                   HIGHEST_RANK=members),
            row("PROCESS", "host: bash make.sh", 0, COUNT=1, PROGRAMS=1, ENDED=1, PARENT_RANK=-1,
                F_END_TIMESTAMP=10.0),
            *(row("PROCESS", f"host: ar q all.a {rank}.o", rank, COUNT=1, PROGRAMS=1, ENDED=1,
                  OPENS=2, PARENT_RANK=0, BYTES_READ=rank * MIB, BYTES_WRITTEN=rank * MIB,
                  F_READ_TIME=0.03, F_WRITE_TIME=0.05, F_START_TIMESTAMP=0.2 * rank,
                  F_END_TIMESTAMP=0.2 * rank + 0.19) for rank in range(1, members + 1)),
            *(row("USAGE", "usage", rank, PROCESSES=1, F_USER_TIME=0.08, F_SYSTEM_TIME=0.09)
              for rank in range(members + 1)),
        ),
        nprocs=members + 1,
    )  # fmt: skip


def cases() -> list[Case]:
    """Returns the cases."""
    missed = row("POSIX_EXT", "<other paths>", MISSES=12, F_MISS_TIME=0.001)
    (_, alone) = _process(0, "python a.py", 8.0)
    of_others = Job((_looks(**_found(4)), missed, row("POSIX", "/flag", STATS=4), alone))
    run = Job(
        (
            _looks(**_found(4)),
            missed,
            shared("POSIX", "/flag", STATS=4, OPENS=4),
            shared("SHARED", "/flag", MODULE=1, RANKS=2, HIGHEST_RANK=1),
            *_process(0, "python a.py", 8.0),
            *_process(1, "python b.py", 8.0),
        ),
        nprocs=2,
    )
    in_vain = Job((_looks(), missed, alone))
    archived = _archived()
    spins = Job(
        (
            row("SITES", "open;/a.py:3:take", FRAMES=1, PROCESSES=1, OPENS=50, LOOKUPS=90_000,
                F_LOOKUP_TIME=5.0, FILE1_BY_CALLS=number_of("/lock"), FILE1_CALLS=50, FILE_BITS=1),
            row("POSIX", "/lock", OPENS=50, F_META_TIME=5.0),
            row("POSIX_EXT", "/lock", UNLINKS=50, FAILURES=90_000, F_META_TIME=5.0),
        )
    )  # fmt: skip
    turns = Job(
        (
            row("USAGE", "usage", PROCESSES=1, F_USER_TIME=9.8, F_BLOCKED_TIME=9.9, WAITS=500),
            row("SITES", "pread;/a.c:3:work", FRAMES=1, PROCESSES=1, READS=400, GAPS_MEDIUM=397,
                FILE1_BY_CALLS=number_of("/input"), FILE1_CALLS=400, FILE_BITS=1),
            row("POSIX", "/input", OPENS=1, READS=400, BYTES_READ=400 * MIB, F_READ_TIME=0.1),
        )
    )  # fmt: skip
    return [
        ("threads-in-turn", turns, turns.but(0, F_USER_TIME=18.0)),
        ("spins-for-a-lock", spins, spins.but(2, UNLINKS=0)),
        ("rewritten-by-processes", archived, archived.but(MAX_BYTE_WRITTEN=820 * MIB - 1)),
        ("sleeps-between-look-ups", run, run.but(GAPS_LONG=0, F_GAP_LONG_TIME=0.0)),
        ("sleeps-between-look-ups-of-others", of_others, of_others.but(3, F_BLOCKED_TIME=0.5)),
        ("sleeps-between-look-ups-in-vain", in_vain, in_vain.but(GAPS_LONG=3)),
    ]
