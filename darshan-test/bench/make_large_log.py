#!/usr/bin/env python3
"""Writes a log of many files, on which the parser is timed. Its bytes are the same each time.

Each file has one POSIX record whose values look like those of a real job: some counters are zero,
sizes and times differ from file to file."""

from __future__ import annotations

import argparse
import os
import random
import struct
import zlib
from pathlib import Path

# Integers and times of a POSIX record of version 4.
COUNTERS, FCOUNTERS = 69, 17
# Id of the module.
POSIX = 1
# Distinct sets of values; prime, so that no pattern repeats early.
VARIANTS = 997
# Bytes of a log's header.
HEADER = 1328
MAGIC = 6567223


def job_region(ranks: int) -> bytes:
    """Returns the uncompressed job region of a log: a job record with metadata, the command line,
    and a short mount table. ranks: number of processes."""
    fixed = struct.pack("<7q", 1000, 1700000000, 0, 1700000600, 0, ranks, 4711)
    text = b"./simulation --files 100000\next4\t/\nlustre\t/scratch\nnfs\t/home\0"
    return fixed + b"lib_ver=3.5.0\n".ljust(1024, b"\0") + text


def values(rng: random.Random) -> bytes:
    """Returns the packed integer and floating-point counters of one POSIX record; about half of
    them are zero."""
    sizes = (rng.randrange(1 << rng.randrange(1, 40)) for _ in range(COUNTERS))
    counters = [rng.choice((0, 0, 1, size)) for size in sizes]
    times = [rng.choice((0.0, rng.random() * 600, rng.random())) for _ in range(FCOUNTERS)]
    return struct.pack(f"<{COUNTERS}q{FCOUNTERS}d", *counters, *times)


def write_log(path: Path, files: int) -> None:
    """Writes a log with a POSIX record for each of `files` files. The log gets its name when it is
    complete."""
    rng = random.Random(1)
    ids = [rng.getrandbits(64) for _ in range(files)]
    bodies = [values(rng) for _ in range(VARIANTS)]
    names = b"".join(
        struct.pack("<Q", key) + b"/scratch/run/step-%03d/part-%06d.h5\0" % (i % 100, i)
        for i, key in enumerate(ids)
    )
    records = b"".join(
        struct.pack("<Qq", key, 0) + bodies[i * 31 % VARIANTS] for i, key in enumerate(ids)
    )
    write_regions(path, names, {POSIX: (4, records)})


def write_regions(
    path: Path, names: bytes, modules: dict[int, tuple[int, bytes]], ranks: int = 1
) -> None:
    """Writes a log of format 3.41; it gets its name when it is complete. names: the packed name
    records, each an id and a string. modules: by module id, the version of the module's records and
    the packed records. ranks: number of processes in the job record."""
    bodies = [job_region(ranks), names, *(records for _, records in modules.values())]
    regions = [zlib.compress(part) for part in bodies]
    header = bytearray(HEADER)
    struct.pack_into("<8sq", header, 0, b"3.41", MAGIC)
    at = HEADER + len(regions[0])
    struct.pack_into("<QQ", header, 32, at, len(regions[1]))
    at += len(regions[1])
    for (module, (version, _)), region in zip(modules.items(), regions[2:]):
        struct.pack_into("<QQ", header, 48 + 16 * module, at, len(region))
        struct.pack_into("<I", header, 1072 + 4 * module, version)
        at += len(region)
    partial = path.with_name(path.name + ".tmp")
    partial.write_bytes(bytes(header) + b"".join(regions))
    os.replace(partial, path)


def main() -> None:
    """Parses the command line and writes the log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("log", type=Path)
    options.add_argument("--files", type=int, default=100_000)
    arguments = options.parse_args()
    write_log(arguments.log, arguments.files)


if __name__ == "__main__":
    main()
