#!/usr/bin/env python3
"""Writes many logs, on which `darshan collect` is timed. Their bytes are the same each time.

Each log is of a job of some ranks with 200 records: files of each rank, shared files, streams, and
the MPI-IO records of some of the files. The counters look like those of a program that transfers
blocks of one or two sizes: most of them are 0, as in logs of real programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "darshan_report")

import numpy as np
from darshan_report import Module, module_by_name
from logs.encode import encode
from logs.model import Log
from logs.model import Module as Region
from logs.record_id import record_id

# Records of each module.
FILES = {"POSIX": 140, "STDIO": 40, "MPI-IO": 20}
# Bounds of the histograms' bins in bytes, and the ends of the counters' names.
EDGES = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
ENDS = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M")


def _calls(rng: np.random.Generator, record: np.ndarray, prefix: str, kind: str) -> None:
    """Sets the counters of reads or writes in each record: calls of one size, or none. record: an
    array of records. prefix: of the counters' names, such as POSIX. kind: READ or WRITE."""
    number = rng.integers(1, 500, len(record)) * (rng.random(len(record)) < 0.6)
    size = 1 << rng.integers(6, 23, len(record))
    plural, done = f"{kind}S", "READ" if kind == "READ" else "WRITTEN"
    record[f"{prefix}_{'INDEP_' if prefix == 'MPIIO' else ''}{plural}"] = number
    record[f"{prefix}_BYTES_{done}"] = number * size
    names = record.dtype.names or ()
    if f"{prefix}_MAX_BYTE_{done}" in names:
        record[f"{prefix}_MAX_BYTE_{done}"] = np.maximum(number * size - 1, 0)
    if f"{prefix}_SEQ_{plural}" in names:
        record[f"{prefix}_SEQ_{plural}"] = np.maximum(number - 1, 0)
        record[f"{prefix}_CONSEC_{plural}"] = np.maximum(number - 1, 0)
    infix = "AGG_" if prefix == "MPIIO" else ""
    for place, end in enumerate(ENDS):
        name = f"{prefix}_SIZE_{kind}_{infix}{end}"
        if name in names:
            record[name] = np.where(np.searchsorted(EDGES, size) == place, number, 0)
    begun = np.round(rng.random(len(record)) * 100, 6)
    spent = np.round(number * rng.random(len(record)) * 1e-4, 6)
    record[f"{prefix}_F_{kind}_TIME"] = spent
    used = number > 0
    record[f"{prefix}_F_{kind}_START_TIMESTAMP"] = np.where(used, begun, 0)
    record[f"{prefix}_F_{kind}_END_TIMESTAMP"] = np.where(used, begun + 2 * spent, 0)


def records(rng: np.random.Generator, module: Module, ids: list[int], ranks: int) -> bytes:
    """Returns the packed records of a module, one for each record id; a tenth of them are shared by
    all ranks (rank -1)."""
    found = np.zeros(len(ids), module.dtype)
    prefix = {"MPI-IO": "MPIIO"}.get(module.name, module.name)
    found["id"] = ids
    found["rank"] = np.where(np.arange(len(ids)) < len(ids) // 10, -1, np.arange(len(ids)) % ranks)
    found[f"{prefix}_{'INDEP_' if prefix == 'MPIIO' else ''}OPENS"] = rng.integers(1, 4, len(ids))
    for kind in ("READ", "WRITE"):
        _calls(rng, found, prefix, kind)
    found[f"{prefix}_F_META_TIME"] = np.round(rng.random(len(ids)) * 1e-3, 6)
    if prefix == "POSIX":
        found["POSIX_FILE_ALIGNMENT"], found["POSIX_MEM_ALIGNMENT"] = 4096, 8
        found["POSIX_MODE"] = 0o644
    return found.tobytes()


def log(number: int) -> Log:
    """Returns the log of this number; the number determines all of its contents."""
    rng = np.random.default_rng(number)
    ranks, begun = 1 << int(rng.integers(0, 7)), 1_760_000_000 + number * 600
    names, modules = [], []
    for name, count in FILES.items():
        module = module_by_name(name)
        assert module is not None
        folder = f"/scratch/project{number % 40}/user{number % 97}/run-{number}"
        ending = "h5" if name != "STDIO" else "txt"
        here = [f"{folder}/part-{place:05}.{ending}".encode() for place in range(count)]
        names += here if name != "MPI-IO" else []
        ids = [record_id(path) for path in here]
        modules.append(Region(name, module.version, [], raw=records(rng, module, ids, ranks)))
    return Log(
        uid=1000 + number % 97,
        start=(begun, 0),
        end=(begun + 120, 0),
        nprocs=ranks,
        jobid=number,
        exe=f"/apps/bin/solver{number % 31} --case {number}".encode(),
        mounts=[(b"/", b"ext4"), (b"/scratch", b"lustre")],
        names=[(record_id(name), name) for name in names],
        modules=modules,
        level=6,
    )


def write(folder: Path, number: int) -> Path:
    """Writes the log of this number into the folder of its day, and returns the path."""
    name = f"user{number % 97}_solver{number % 31}_id{number}-{number}_1-1-1-1_1.darshan"
    path = folder / f"{number // 144:05}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(log(number)))
    return path


def main() -> None:
    """Parses the command line and writes the logs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--logs", type=int, default=4000)
    arguments = options.parse_args()
    for number in range(arguments.logs):
        write(arguments.folder, number)


if __name__ == "__main__":
    main()
