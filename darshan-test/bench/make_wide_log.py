#!/usr/bin/env python3
"""Writes a log of many ranks. Its bytes are the same each time.

Each rank has its own file, a part of a shared file, and a heat map of 100 bins. With --tree the
processes are not ranks of a job but a shell and its descendants."""

from __future__ import annotations

import argparse
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from logs import trees
from logs.encode import annex
from logs.model import Log
from logs.record_id import record_id
from make_large_log import POSIX, VARIANTS, values, write_regions

# Id of the module; bins of a heat map, and their width in seconds.
HEATMAP, BINS, SECONDS = 15, 100, 6.0
HEAT_NAME = b"heatmap:POSIX"
SHARED = b"/scratch/run/shared.h5"


def heat_map(rng: random.Random, rank: int) -> bytes:
    """Returns the packed heat map record of a rank, with traffic in about a tenth of its bins."""
    bins = [rng.choice((0,) * 9 + (rng.randrange(1 << 30),)) for _ in range(2 * BINS)]
    head = struct.pack("<Qqdq16x", record_id(HEAT_NAME), rank, SECONDS, BINS)
    return head + struct.pack(f"<{2 * BINS}q", *bins)


def processes(ranks: int) -> list[trees.Member]:
    """Returns the processes of a run: a shell and programs of forty names, some of which start
    others. ranks: their number."""
    found = [trees.Member("bash all.sh", end=600)]
    for rank in range(1, ranks):
        parent = 0 if rank < 10 else rank // 10
        start = 600 * rank / ranks
        command = f"step-{rank % 40} --part {rank}"
        found.append(trees.Member(command, parent, start, start + 5, read_time=0.1))
    return found


def write_log(path: Path, ranks: int, tree: bool) -> None:
    """Writes a log of many ranks; it gets its name when it is complete. tree: whether the processes
    are a process tree instead of ranks of a job."""
    rng = random.Random(1)
    bodies = [values(rng) for _ in range(VARIANTS)]
    named = {record_id(name): name for name in (HEAT_NAME, SHARED)}
    named |= {rng.getrandbits(64): b"/scratch/run/part-%06d" % rank for rank in range(ranks)}
    own = [key for key, name in named.items() if b"part" in name]
    records = b"".join(
        struct.pack("<Qq", key, rank) + bodies[(rank * 31 + place) % VARIANTS]
        for rank in range(ranks)
        for place, key in enumerate((own[rank], record_id(SHARED)))
    )
    heat = b"".join(heat_map(rng, rank) for rank in range(ranks))
    module, called = trees.processes(processes(ranks)) if tree else (None, [])
    named |= dict(called)
    names = b"".join(struct.pack("<Q", key) + name + b"\0" for key, name in named.items())
    write_regions(path, names, {POSIX: (4, records), HEATMAP: (1, heat)}, ranks)
    if module:
        with path.open("ab") as log:
            log.write(annex(Log(annex=[module]), log.tell()))


def main() -> None:
    """Parses the command line and writes the log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("log", type=Path)
    options.add_argument("--ranks", type=int, default=10_000)
    options.add_argument("--tree", action="store_true")
    arguments = options.parse_args()
    write_log(arguments.log, arguments.ranks, arguments.tree)


if __name__ == "__main__":
    main()
