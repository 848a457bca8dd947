"""Cases about waiting for files: a loop that sleeps between two look-ups, and the same without a
pause."""

from __future__ import annotations

from .build import Job, Row, number_of, row, shared

Case = tuple[str, Job, Job]


def _looks(**values: float) -> Row:
    """Returns the call site of a loop that looks for a file every half second."""
    return row(
        "SITES", "stat;/a.py:3:wait", FRAMES=1, PROCESSES=1, LOOKUPS=16, GAPS_LONG=12,
        F_LOOKUP_TIME=0.001, F_GAP_LONG_TIME=6.0, **values,
    )  # fmt: skip


def _found(number: int) -> dict[str, float]:
    """Returns the counters of a site that found a file so many times."""
    return {"FILE1_BY_CALLS": number_of("/flag"), "FILE1_CALLS": number, "FILE_BITS": 1}


def _process(rank: int, command: str, slept: float) -> tuple[Row, Row]:
    """Returns a process of ten seconds that worked for one."""
    return (
        row("PROCESS", f"host: {command}", rank, COUNT=1, PROGRAMS=1, ENDED=1, OPENS=1,
            PARENT_RANK=rank - 1, F_END_TIMESTAMP=10.0),
        row("USAGE", "usage", rank, PROCESSES=1, F_USER_TIME=1.0, F_BLOCKED_TIME=slept),
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
    return [
        ("sleeps-between-look-ups", run, run.but(GAPS_LONG=0, F_GAP_LONG_TIME=0.0)),
        ("sleeps-between-look-ups-of-others", of_others, of_others.but(3, F_BLOCKED_TIME=0.5)),
        ("sleeps-between-look-ups-in-vain", in_vain, in_vain.but(GAPS_LONG=3)),
    ]
