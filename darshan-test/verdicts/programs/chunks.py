"""Chunks of HDF5 that are written part by part, and datasets that are searched: chunks.py CASE
[cured|prepare]."""

from __future__ import annotations

import sys
from pathlib import Path

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


def prepare_search_attributes() -> None:
    """Writes 1,500 small datasets with an attribute each."""
    with h5py.File("scans.h5", "w") as file:
        group = file.create_group("scans")
        for i in range(1500):
            data = group.create_dataset(f"scan{i:04}", data=np.full(64, i, "f8"))
            data.attrs["number"] = (i * 7) % 1500


def search_attributes(cured: bool) -> None:
    """Looks for the dataset with an attribute among all, for each of 12 numbers; cured: makes an
    index."""
    with h5py.File("scans.h5") as file:
        group = file["scans"]
        index = {data.attrs["number"]: name for name, data in group.items()} if cured else {}
        for wanted in range(1400, 1460, 5):
            if cured:
                assert group[index[wanted]][0] * 7 % 1500 == wanted
                continue
            for data in group.values():  # blame: search-attributes
                if data.attrs["number"] == wanted:
                    assert data[0] * 7 % 1500 == wanted
                    break


def prepare_search_values() -> None:
    """Writes 600 datasets of a value each."""
    with h5py.File("settings.h5", "w") as file:
        for i in range(600):
            file[f"key{i}"] = i * 3


def search_values(cured: bool) -> None:
    """Reads all values of the file to find one, 20 times; cured: reads them once."""
    with h5py.File("settings.h5") as file:
        known = {int(file[name][()]): name for name in file} if cured else {}
        for wanted in range(0, 600, 30):
            if not cured:
                known = {int(file[name][()]): name for name in file}  # blame: search-values
            assert known[wanted] == f"key{wanted // 3}"


def prepare_healthy_steps() -> None:
    """Writes 100 variables of 768 KiB."""
    with h5py.File("steps.h5", "w") as file:
        for i in range(100):
            file[f"v{i}"] = np.full((12, 16384), i, "f4")


def healthy_steps(_: bool) -> None:
    """Reads all variables step by step."""
    with h5py.File("steps.h5") as file:
        for step in range(12):
            assert sum(float(file[f"v{i}"][step].mean()) for i in range(100)) > 0


if __name__ == "__main__":
    name, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode == ["prepare"]:
        globals().get(f"prepare_{name}", Path)()  # most need nothing
    else:
        globals()[name](mode == ["cured"])
