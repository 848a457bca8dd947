"""Jobs of MPI from Python: ranks.py CASE [cured]."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import h5py
import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()


def writes(cured: bool) -> None:
    """Writes every ranks-th row of 400 bytes, one by one; cured: a block for each rank,
    together."""
    rows, size = 3000, 400
    file = MPI.File.Open(COMM, "mesh", MPI.MODE_CREATE | MPI.MODE_WRONLY)
    if cured:
        file.Write_at_all(RANK * rows * size, np.ones(rows * size, "u1"))
    else:
        for i in range(rows):
            file.Write_at((i * RANKS + RANK) * size, np.ones(size, "u1"))
    file.Close()


def gather_and_save(cured: bool) -> None:
    """Rank 0 gathers all parts and saves them; cured: each rank saves its own part."""
    part = np.ones(4 << 20)
    if cured:
        part.tofile(f"part.{RANK}")
        return
    whole = np.empty(RANKS * len(part)) if RANK == 0 else None
    COMM.Gather(part, whole)
    if whole is not None:
        whole.tofile("whole")


def log_of_zero(cured: bool) -> None:
    """Rank 0 collects a line of each step, and opens the log for it; cured: at the end."""
    lines = []
    for step in range(1200):
        lines.append(f"{step} {COMM.reduce(step * RANK)}\n")
        if RANK == 0 and not cured:
            with open("log", "a") as log:  # blame: log-of-zero
                log.write(lines[-1])
        COMM.Barrier()
    if RANK == 0 and cured:
        Path("log").write_text("".join(lines))


def parsed_by_each(cured: bool) -> None:
    """Every rank reads and parses the same text; cured: one rank does, and sends the values."""
    if RANK == 0:
        Path("mesh.new").write_text("".join(f"{i}.5 {i}.25 {i}.125\n" for i in range(1000)) * 800)
        Path("mesh.new").rename("mesh.txt")
    COMM.Barrier()
    if cured:
        mesh = COMM.bcast(np.loadtxt("mesh.txt") if RANK == 0 else None)
    else:
        mesh = np.loadtxt("mesh.txt")  # blame: parsed-by-each
    assert mesh.shape == (800_000, 3)


def dataset_by_each(cured: bool) -> None:
    """Every rank reads all blocks of a compressed dataset, and keeps its rows; cured: it reads only
    its rows."""
    rows, block = 2048, 128
    if RANK == 0:
        with h5py.File("made.h5", "w") as file:
            values = (np.arange(rows * 1024) * 2654435761 >> 20 & 4095).astype("f8")
            new = file.create_dataset("x", (rows, 1024), "f8", chunks=(block, 1024),
                                      compression="gzip", compression_opts=1)  # fmt: skip
            new[:] = values.reshape(rows, 1024)
        Path("made.h5").rename("field.h5")
    COMM.Barrier()
    own = range(RANK * rows // RANKS, (RANK + 1) * rows // RANKS, block)
    with h5py.File("field.h5") as file:
        for start in own if cured else range(0, rows, block):
            part = file["x"][start : start + block]  # blame: dataset-by-each
            assert part.shape == (block, 1024)


def healthy_parts(_: bool) -> None:
    """Each rank writes its own file with one call."""
    np.ones(2 << 20).tofile(f"part.{RANK}")


def main() -> None:
    """Runs the case. Rank 0 writes its seconds to the file that CASE_SECONDS names, if it is set:
    starting a job takes longer than most cases."""
    file = os.environ.get("CASE_SECONDS")
    if file:
        COMM.Barrier()
    begun = time.perf_counter()
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:] == ["cured"])
    if file:
        COMM.Barrier()
        if RANK == 0:
            Path(file).write_text(f"{time.perf_counter() - begun}\n")


if __name__ == "__main__":
    main()
