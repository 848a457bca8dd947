"""Cases about buffered streams; cases.py explains what a case is."""

from __future__ import annotations

from .build import MIB, Job, number_of, row


def streams() -> list[tuple[str, Job, Job]]:
    """Returns the cases about buffered streams and the calls below them."""
    bulk = Job(
        (
            row("STDIO", "/a", WRITES=100000, BYTES_WRITTEN=400 * MIB,
                MAX_BYTE_WRITTEN=400 * MIB - 1, F_WRITE_TIME=6.0),
            row("STDIO_EXT", "/a", DRAINS=102400, DRAINED_BYTES=400 * MIB, BUFFER_BYTES=4096,
                F_DRAIN_TIME=6.0),
        )
    )  # fmt: skip
    reads = Job(
        (
            row("STDIO", "/a", READS=50000, BYTES_READ=400000, F_READ_TIME=4.0),
            row("STDIO_EXT", "/a", FILLS=50000, FILLED_BYTES=400000, UNBUFFERED=50000,
                F_FILL_TIME=4.0),
        )
    )  # fmt: skip
    writes = Job(
        (
            row("STDIO", "/a", WRITES=50000, BYTES_WRITTEN=400000, F_WRITE_TIME=4.0),
            row("STDIO_EXT", "/a", DRAINS=50000, DRAINED_BYTES=400000, UNBUFFERED=50000,
                F_DRAIN_TIME=4.0),
        )
    )  # fmt: skip
    flushes = Job(
        (
            row("STDIO", "/a", WRITES=50000, FLUSHES=50000, BYTES_WRITTEN=400000,
                F_WRITE_TIME=4.0),
            row("STDIO_EXT", "/a", DRAINS=50000, DRAINED_BYTES=400000, FLUSH_DRAINS=50000,
                F_FLUSH_TIME=3.9),
        )
    )  # fmt: skip
    by_line = Job(
        (
            row("STDIO", "/a", WRITES=50000, BYTES_WRITTEN=400000, F_WRITE_TIME=4.0),
            row("STDIO_EXT", "/a", DRAINS=50000, DRAINED_BYTES=400000, LINE_DRAINS=50000,
                F_DRAIN_TIME=4.0),
        )
    )  # fmt: skip
    looked_up = Job(
        (
            row("STDIO", "/a", READS=9000, SEEKS=9000, BYTES_READ=90000, MAX_BYTE_READ=40 * MIB,
                F_META_TIME=3.0, F_READ_TIME=1.0),
            row("STDIO_EXT", "/a", FILLS=9000, FILLED_BYTES=35 * MIB, DISCARDS=8900,
                F_SEEK_TIME=3.0, F_FILL_TIME=1.0),
        )
    )  # fmt: skip
    steps = Job(
        (
            row("STDIO", "/a", READS=900_000, SEEKS=900_000, BYTES_READ=900_000,
                MAX_BYTE_READ=899_999, F_META_TIME=3.0, F_READ_TIME=0.5),
            row("STDIO_EXT", "/a", FILLS=220, FILLED_BYTES=900_000, F_SEEK_TIME=3.0),
        )
    )  # fmt: skip
    numpy = "/v/site-packages/numpy/core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so"
    each = Job(
        (
            row("STDIO", "/a.bin", OPENS=50_000, SEEKS=100_000, READS=50_000, BYTES_READ=400_000,
                F_META_TIME=3.0),
            row("SITES", f"fdopen;{numpy}+100;/a.py:3:load", FRAMES=2, PROCESSES=1, OPENS=50_000,
                F_OPEN_TIME=3.0, FILE_BITS=1, FILE1_BY_CALLS=number_of("/a.bin"),
                FILE1_CALLS=50_000),
        ),
        command=b"python3 a.py",
    )  # fmt: skip
    computed = Job(
        (
            row("POSIX", "/a.bin", OPENS=1, READS=90, BYTES_READ=360 * MIB, F_READ_TIME=0.1),
            row("SITES", "read;/a.py:3:load", FRAMES=1, PROCESSES=1, READS=90, FILE_BITS=1,
                BYTES_READ=360 * MIB, F_GAP_MEDIUM_TIME=6.0,
                FILE1_BY_CALLS=number_of("/a.bin"), FILE1_CALLS=90),
        )
    )  # fmt: skip
    characters = Job(
        (
            row("STDIO", "/a", READS=90_000_000, BYTES_READ=90_000_000, F_READ_TIME=0.2),
            row("STDIO_EXT", "/a", FILLS=22_000, FILLED_BYTES=90_000_000),
        ),
        seconds=2,
    )  # fmt: skip
    return [
        ("character-calls", characters, characters.but(0, READS=45_000_000)),
        ("costly-between", computed, computed.but(1, F_GAP_MEDIUM_TIME=2.0)),
        ("stream-each", each, each.but(1, OPENS=900)),
        ("stdio-bulk", bulk, bulk.but(1, DRAINS=100)),
        ("unbuffered-stream-read", reads, reads.but(1, FILLS=98, UNBUFFERED=0)),
        ("unbuffered-stream-write", writes, writes.but(1, DRAINS=98, UNBUFFERED=0)),
        ("stream-flushes", flushes, flushes.but(1, FLUSH_DRAINS=9)),
        ("line-buffered", by_line, by_line.but(1, LINE_DRAINS=9)),
        ("stream-seeks", looked_up, looked_up.but(1, FILLED_BYTES=0)),
        ("stream-steps", steps, steps.but(1, FILLS=90_000)),
    ]
