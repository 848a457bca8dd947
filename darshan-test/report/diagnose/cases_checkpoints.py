"""The smallest logs with findings about checkpoints."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, Row, row

_SIZE = 100 * MIB


def saved(name: str, begin: float, rank: int = 0, seconds: float = 4.0, **more: float) -> Row:
    """Returns the record of a file of 100 MiB that a process wrote in a single call. begin: seconds
    since the start of the run; seconds: the duration of the call; more: other counters."""
    values = {
        "OPENS": 1, "WRITES": 1, "BYTES_WRITTEN": _SIZE, "MAX_BYTE_WRITTEN": _SIZE - 1,
        "F_OPEN_START_TIMESTAMP": begin, "F_WRITE_START_TIMESTAMP": begin,
        "F_WRITE_END_TIMESTAMP": begin + seconds, "F_CLOSE_END_TIMESTAMP": begin + seconds,
        "F_WRITE_TIME": seconds,
    }  # fmt: skip
    return row("POSIX", name, rank, **{**values, **more})


def cases() -> list[tuple[str, Job, Job]]:
    """Returns for each diagnosis on checkpoints a job that has it and one that does not."""
    often = Job(tuple(saved(f"/ck_{step}.pt", 1.0 + 20 * step) for step in range(5)), seconds=100)
    each = Job(tuple(saved(f"/r{rank}.pt", 1.0, rank) for rank in range(4)), nprocs=4)
    return [
        ("checkpoints-often", often, replace(often, rows=often.rows[:2])),
        ("saved-by-each", each, each.but(BYTES_WRITTEN=_SIZE // 2)),
    ]
