"""Cases about data that processes pass to each other, or through files that they remove."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, Row, row, shared

Case = tuple[str, Job, Job]
_SECONDS = 10.0


def _process(rank: int, command: str, parent: int = -1, **values: float) -> Row:
    """Returns the PROCESS record of a process that lived as long as the run. parent: the rank of
    its parent; -1: none."""
    counters = {"COUNT": 1, "PROGRAMS": 1, "ENDED": 1, "F_END_TIMESTAMP": _SECONDS, **values}
    return row("PROCESS", f"host: {command}", rank, PARENT_RANK=parent, **counters)


def _usage(rank: int, **values: float) -> Row:
    """Returns the USAGE record of a rank. values: its counters."""
    return row("USAGE", "usage", rank, PROCESSES=1, **values)


def _published() -> Job:
    """Returns a file that was written, copied inside the kernel to another folder, and removed."""
    size = {"MAX_BYTE_WRITTEN": 64 * MIB - 1, "BYTES_WRITTEN": 64 * MIB, "WRITES": 64}
    return Job(
        (
            row("POSIX", "/new/a.bin", OPENS=2, BYTES_READ=64 * MIB, MAX_BYTE_READ=64 * MIB - 1,
                READS=1, F_READ_TIME=2.0, F_WRITE_TIME=1.0, **size),
            row("POSIX", "/old/a.bin", OPENS=1, F_WRITE_TIME=2.0, **size),
            row("POSIX_EXT", "/new/a.bin", UNLINKS=1, SENDFILES=2, F_META_TIME=0.1),
            row("POSIX_EXT", "/old/a.bin", SENDFILES=2),
        )
    )  # fmt: skip


def _pooled() -> Job:
    """Returns a program that reads a file and sends its bytes through pipes to two workers."""
    read = 2048 * MIB
    return Job(
        (
            row("POSIX", "/a.bin", READS=64, SEQ_READS=63, BYTES_READ=read, OPENS=1,
                MAX_BYTE_READ=read - 1, F_READ_TIME=0.1),
            _process(0, "perl a.pl b", BYTES_READ=read, READS=64, F_READ_TIME=0.1, OPENS=1),
            _process(1, "perl a.pl b", 0),
            _process(2, "perl a.pl b", 0),
            _usage(0, CHARS_READ=read, CHARS_WRITTEN=read, READ_CALLS=64, WRITE_CALLS=500,
                   F_USER_TIME=9.0),
            _usage(1, CHARS_READ=read // 2, READ_CALLS=9000, F_USER_TIME=9.0),
            _usage(2, CHARS_READ=read // 2, READ_CALLS=9000, F_USER_TIME=9.0),
        ),
        nprocs=3,
    )  # fmt: skip


def _asked() -> Job:
    """Returns a program that sends another one 200,000 requests through a pipe and reads each
    answer from a second one."""
    calls = 200_000
    talk: dict[str, float] = {
        "READ_CALLS": calls,
        "WRITE_CALLS": calls,
        "WAITS": calls,
        "CHARS_READ": 20 * calls,
        "CHARS_WRITTEN": 20 * calls,
        "F_SYSTEM_TIME": 1.0,
    }
    return Job(
        (
            row("POSIX", "/list", READS=9, SEQ_READS=8, BYTES_READ=64 * 1024, OPENS=1,
                MAX_BYTE_READ=64 * 1024 - 1, F_READ_TIME=0.001),
            _process(0, "perl a.pl list", BYTES_READ=64 * 1024, READS=9, OPENS=1,
                     F_READ_TIME=0.001),
            _process(1, "./converter", 0),
            _usage(0, F_USER_TIME=3.0, F_BLOCKED_TIME=6.0, **talk),
            _usage(1, F_USER_TIME=2.0, F_BLOCKED_TIME=7.0, **talk),
        ),
        nprocs=2,
    )  # fmt: skip


def _packed() -> Job:
    """Returns the job of a script: gzip writes an archive, tar unpacks it, and then the archive is
    removed."""
    return Job(
        (
            shared("POSIX", "/day.tar.gz", OPENS=2, READS=8, WRITES=8, BYTES_READ=4 * MIB,
                   BYTES_WRITTEN=4 * MIB, F_READ_TIME=0.01, F_WRITE_TIME=0.01),
            shared("POSIX_EXT", "/day.tar.gz", UNLINKS=1),
            shared("SHARED", "/day.tar.gz", MODULE=1, RANKS=2, LOWEST_RANK=1, HIGHEST_RANK=2),
            _process(0, "bash ship.sh"),
            _process(1, "gzip -9", 0, BYTES_WRITTEN=4 * MIB, OPENS=1, F_WRITE_TIME=0.01),
            _process(2, "tar -xzf day.tar.gz", 0, BYTES_READ=4 * MIB, OPENS=1, F_READ_TIME=0.01),
            _usage(0, F_USER_TIME=0.1, CHARS_READ=9),
            _usage(1, F_USER_TIME=8.0, CHARS_READ=9),
            _usage(2, F_USER_TIME=0.5, CHARS_READ=9),
        ),
        nprocs=3,
    )  # fmt: skip


def _piped() -> Job:
    """Returns the job of a script: gzip compresses a stream, and gzip -d decompresses it."""
    return Job(
        (
            _process(0, "bash copy.sh"),
            _process(1, "gzip", 0),
            _process(2, "gzip -d", 0),
            _usage(0, F_USER_TIME=0.1, CHARS_READ=9),
            _usage(1, F_USER_TIME=8.0, CHARS_READ=40 * MIB, CHARS_WRITTEN=30 * MIB),
            _usage(2, F_USER_TIME=0.5, CHARS_READ=30 * MIB, CHARS_WRITTEN=40 * MIB),
        ),
        nprocs=3,
    )


def _kept_up() -> Job:
    """Returns the job of a script that runs git gc six times."""
    every = [_process(0, "bash commit.sh"), _usage(0, F_USER_TIME=0.1, CHARS_READ=9)]
    for rank in range(1, 7):
        every += [
            _process(rank, "git gc --quiet", 0),
            _usage(rank, F_USER_TIME=1.0, CHARS_READ=9),
        ]
    return Job((*every, row("POSIX", "/a/.git/HEAD", 1, OPENS=1)), nprocs=7)


def _managed() -> Job:
    """Returns a program of two processes of which one is a Manager that got 30,000 messages."""
    calls = 30_000
    served = "/lib/python3.11/multiprocessing/managers.py:591:BaseManager._run_server"
    return Job(
        (
            _process(0, "python3 a.py"),
            _process(1, "python3 a.py", 0),
            row("SITES", f"unlink;{served};/a.py:3:main", 1, FRAMES=2, PROCESSES=1, OTHERS=1),
            _usage(0, CHARS_READ=20 * calls, CHARS_WRITTEN=70 * calls, READ_CALLS=2 * calls,
                   WRITE_CALLS=calls, F_USER_TIME=4.0),
            _usage(1, CHARS_READ=70 * calls, CHARS_WRITTEN=20 * calls, READ_CALLS=2 * calls,
                   WRITE_CALLS=calls, F_USER_TIME=1.0),
        ),
        nprocs=2,
    )  # fmt: skip


def _kernel(reads: int, calls: int, faults: int) -> Job:
    """Returns a program that reads 40 MiB and maps as much. reads: the reads that the runtime
    recorded; calls, faults: the read calls and page faults that the kernel counted."""
    return Job(
        (
            row("POSIX", "/a.bin", OPENS=1, READS=reads, BYTES_READ=40 * MIB, F_READ_TIME=0.05),
            row("USAGE", "app", PROCESSES=1, READ_CALLS=calls, CHARS_READ=90 * MIB,
                MINOR_FAULTS=faults, F_SYSTEM_TIME=6.0),
            row("SITES", "read;/a.py:3:load", FRAMES=1, PROCESSES=1, READS=reads,
                BYTES_READ=40 * MIB, F_GAP_MEDIUM_TIME=8.0 if reads > 2 else 0.0),
            row("POSIX_EXT", "/a.bin", MMAP_BYTES=64 * MIB, MMAP_TOUCHED=64 * MIB),
        )
    )  # fmt: skip


def cases() -> list[Case]:
    """Returns the cases."""
    grown, copied = _kernel(1500, 1600, 5_000_000), _kernel(1, 60, 5_000_000)
    looked_up = _kernel(1500, 300_000, 900)
    published, pooled, asked, packed = _published(), _pooled(), _asked(), _packed()
    piped, managed, kept = _piped(), _managed(), _kept_up()
    worker = "read;/lib/python3.11/concurrent/futures/thread.py:58:_WorkItem.run"
    read = row("SITES", worker, FRAMES=1, PROCESSES=1, READS=1500, BYTES_READ=40 * MIB)
    in_tasks = replace(_kernel(1500, 1600, 900), rows=(*_kernel(1500, 1600, 900).rows, read)).but(
        1, WAITS=90_000
    )
    return [
        ("copied-and-removed", published, published.but(2, UNLINKS=0)),
        ("sent-to-workers", pooled, pooled.but(4, CHARS_WRITTEN=MIB)),
        ("asked-one-by-one", asked, asked.but(4, WRITE_CALLS=9)),
        ("asked-one-by-one-many", asked.but(3, WAITS=9), asked.but(4, WRITE_CALLS=9)),
        ("compressed-and-removed", packed, packed.but(1, UNLINKS=0)),
        ("compressed-in-a-pipe", piped, piped.but(5, CHARS_READ=29 * MIB)),
        ("maintained-each", kept, replace(kept, rows=kept.rows[:6])),
        ("asked-one-by-one-manager", managed, managed.but(4, WRITE_CALLS=90)),
        ("kernel-work-tasks", in_tasks, in_tasks.but(1, WAITS=9000)),
        ("kernel-work-copies", grown, grown.but(1, MINOR_FAULTS=90_000)),
        ("kernel-work-mapped", copied, copied.but(1, MINOR_FAULTS=90_000)),
        ("kernel-work-reads", looked_up, looked_up.but(1, READ_CALLS=3000)),
    ]
