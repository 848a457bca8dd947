"""Problems of chunks of HDF5 that are written part by part, with their fixes, and healthy programs:
python3 chunks.py CASE [cured]."""

from __future__ import annotations

import sys

import numpy as np

# Each case uses only one library, because each library brings its own HDF5.
if sys.argv[1].startswith("nc-"):
    import netCDF4
else:
    import h5py


def series_by_step(cured: bool) -> None:
    """Writes each step of 2,048 series into compressed chunks that span all steps, with the cache
    that HDF5 had before version 2; cured: 64 steps with each call."""
    steps = 64 if cured else 1
    values = np.random.default_rng(1).integers(0, 99, (2048, 64)).astype("f4")
    with h5py.File("f.h5", "w", rdcc_nbytes=1 << 20) as file:
        made = file.create_dataset("q", (2048, 512), "f4", chunks=(512, 512), compression=1)
        for i in range(0, 64, steps):
            made[:, i : i + steps] = values[:, i : i + steps]  # blame: series-by-step


def append_packed(cured: bool) -> None:
    """Extends a dataset row by row, whose compressed chunks are larger than the cache; cured: with
    a cache for a chunk."""
    cache = (8 << 20) if cured else (1 << 20)
    rows = np.random.default_rng(1).integers(0, 99, (150, 1024)).astype("f8")
    with h5py.File("f.h5", "w", rdcc_nbytes=cache) as file:
        made = file.create_dataset(
            "x", (0, 1024), "f8", maxshape=(None, 1024), chunks=(256, 1024), compression=1
        )
        for i, values in enumerate(rows):
            made.resize(i + 1, 0)
            made[i] = values  # blame: append-packed


def nc_append_packed(cured: bool) -> None:
    """Appends records of an unlimited dimension to compressed chunks of 64 records, with a cache
    that is smaller than a chunk."""
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 8192)
        sizes = {"chunksizes": (64, 8192), "zlib": True, "complevel": 1}
        made = file.createVariable("v", "f8", ("t", "x"), **sizes)
        made.set_var_chunk_cache((8 << 20) if cured else (1 << 20), 1009, 0.75)
        for i in range(96):
            made[i] = np.arange(8192) % (i + 2)  # blame: nc-append-packed


def healthy_appended(_: bool) -> None:
    """Appends rows to compressed chunks that stay in the cache until they are full."""
    rows = np.random.default_rng(1).integers(0, 99, (3000, 256)).astype("f8")
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset(
            "x", (0, 256), "f8", maxshape=(None, 256), chunks=(128, 256), compression=1
        )
        for i, values in enumerate(rows):
            made.resize(i + 1, 0)
            made[i] = values


def healthy_latest(_: bool) -> None:
    """Overwrites a compressed field as a whole, as a monitor of the last state does."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (512, 512), "f8", chunks=(512, 512), compression=1)
        for i in range(20):
            made[...] = np.arange(512 * 512).reshape(512, 512) % (i + 2)


if __name__ == "__main__":
    name, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode != ["prepare"]:
        globals()[name](mode == ["cured"])
