#!/usr/bin/env python3
"""Writes a log with traces of many segments (traced reads and writes), on which the readers of
traces are timed. Its bytes are the same each time.

Twenty files are written and then read, by one process or by many; two thirds of the transfers are
reads."""

from __future__ import annotations

import argparse
import random
import struct
from pathlib import Path

from make_large_log import write_regions

# Id and version of the module.
DXT_POSIX, VERSION = 10, 1
FILES = 20
# Sizes of transfers in bytes.
BLOCKS = (512, 4096, 65536, 1048576)


def segments(rng: random.Random, count: int, start: float) -> bytes:
    """Returns `count` packed transfers of one size at rising offsets, each a little later than the
    last. start: seconds at which the first begins."""
    block = rng.choice(BLOCKS)
    make = struct.Struct("<qqdd").pack
    out, offset, now = [], 0, start
    for _ in range(count):
        end = now + rng.random() * 1e-4
        out.append(make(offset, block, round(now, 6), round(end, 6)))
        offset += block
        now = end + rng.random() * 1e-5
    return b"".join(out)


def record(key: int, rank: int, per_file: int) -> bytes:
    """Returns the packed DXT record of one file of one process. key: the file's record id.
    per_file: number of transfers, a third of which are writes."""
    rng = random.Random(key + rank)
    writes, reads = per_file // 3, per_file - per_file // 3
    head = struct.pack("<Qqq64sqq", key, rank, 0, b"node-1", writes, reads)
    return head + segments(rng, writes, 1.0) + segments(rng, reads, 500.0)


def write_trace(path: Path, count: int, ranks: int = 1) -> None:
    """Writes a log with about `count` traced transfers of 20 files, distributed over the ranks. The
    log gets its name when it is complete."""
    rng = random.Random(1)
    ids = [rng.getrandbits(64) for _ in range(FILES)]
    names = b"".join(
        struct.pack("<Q", key) + b"/scratch/run/trace-%02d.dat\0" % i for i, key in enumerate(ids)
    )
    parts = max(FILES, ranks)
    records = b"".join(
        record(ids[place % FILES], place % ranks, count // parts) for place in range(parts)
    )
    write_regions(path, names, {DXT_POSIX: (VERSION, records)})


def main() -> None:
    """Parses the command line and writes the log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("log", type=Path)
    options.add_argument("--segments", type=int, default=2_000_000)
    options.add_argument("--ranks", type=int, default=1)
    arguments = options.parse_args()
    write_trace(arguments.log, arguments.segments, arguments.ranks)


if __name__ == "__main__":
    main()
