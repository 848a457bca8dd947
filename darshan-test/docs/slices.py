"""The program in the pictures of the guides: two workers read slices of a compressed HDF5 file.

The chunks do not fit into HDF5's chunk cache, so each slice reads and inflates a whole chunk. This
is a frequent problem of scientific programs (darshan-test/studies/chunk-cache)."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import h5py
import numpy as np

STEPS, ROWS, COLUMNS = 128, 256, 256
WORKERS = 2


def write(path: str) -> None:
    """Writes an HDF5 file at the path, with one dataset in two compressed chunks of 16 MiB."""
    field = np.random.default_rng(1).normal(size=(STEPS, ROWS, COLUMNS)).astype("f4")
    with h5py.File(path, "w") as file:
        file.create_dataset(
            "temperature", data=np.round(field, 1), chunks=(STEPS // 2, ROWS, COLUMNS),
            compression="gzip", compression_opts=1,
        )  # fmt: skip


def read(job: tuple[str, int]) -> None:
    """Reads every second time step of the first half of the HDF5 file, and writes its mean as text.
    job: path of the file, and number of the worker."""
    path, worker = job
    with h5py.File(path) as file, Path(f"means-{worker}.txt").open("w") as means:
        field = file["temperature"]
        for step in range(worker, STEPS // 2, WORKERS):
            print(step, float(field[step].mean()), file=means, flush=True)


def main() -> None:
    """With --write writes the HDF5 file, otherwise reads it."""
    path = sys.argv[1]
    if "--write" in sys.argv:
        write(path)
        return
    with multiprocessing.Pool(WORKERS) as pool:
        pool.map(read, [(path, worker) for worker in range(WORKERS)])
        pool.close()
        pool.join()  # the workers end by themselves, and leave their traces


if __name__ == "__main__":
    main()
