"""Writes and reads a chunked, compressed dataset through h5py, whose wheel contains its own
HDF5."""

import h5py
import numpy as np

with h5py.File("a.h5", "w") as file:
    grid = file.create_dataset("grid", (100, 200), chunks=(10, 50), compression="gzip")
    grid[...] = np.arange(20000).reshape(100, 200)
    grid.attrs["unit"] = "m"
    file.create_group("empty")
with h5py.File("a.h5") as file:
    print(file["grid"][::10, ::20].sum(), file["grid"].attrs["unit"])
