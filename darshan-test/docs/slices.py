"""The program in the pictures of the guides: two workers read slices of a compressed HDF5 file.

The chunks do not fit into HDF5's chunk cache, so the library reads and decompresses a whole chunk
for each slice. This is a frequent problem of scientific programs
(darshan-test/studies/chunk-cache)."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import h5py
import numpy as np

# The dataset's shape: time steps, rows and columns.
STEPS, ROWS, COLUMNS = 128, 256, 256
# Worker processes.
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
    """Reads every second time step of the first half of the dataset, and writes the mean of each as
    text to a file of the worker. job: path of the HDF5 file, and number of the worker, from 0."""
    path, worker = job
    with h5py.File(path) as file, Path(f"means-{worker}.txt").open("w") as means:
        field = file["temperature"]
        for step in range(worker, STEPS // 2, WORKERS):
            print(step, float(field[step].mean()), file=means, flush=True)


def main() -> None:
    """With --write writes the HDF5 file; otherwise reads it with two workers."""
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
