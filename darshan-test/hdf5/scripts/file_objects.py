"""Writes HDF5 files into Python file objects, so that the library's I/O calls Python code."""

from __future__ import annotations

import io

import h5py
import numpy as np

values = np.arange(1000, dtype="i4")
with open("a.h5", "w+b") as stream:
    with h5py.File(stream, "w") as file:
        file.create_dataset("d", data=values)
    with h5py.File(stream, "r") as file:
        print(int(file["d"][:].sum()))
memory = io.BytesIO()
with h5py.File(memory, "w") as file:
    file.create_dataset("e", data=values[:10])
print(len(memory.getvalue()) > values[:10].nbytes)
print(f"sum\t=\tH5D_BYTES_WRITTEN\t{values.nbytes + values[:10].nbytes}")
print(f"sum\t=\tH5D_BYTES_READ\t{values.nbytes}")
print("sum\t=\tH5F_OPENS\t3")
