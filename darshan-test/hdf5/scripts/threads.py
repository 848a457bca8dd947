"""Uses h5py, netCDF4 and ordinary files in parallel, each in several threads."""

from __future__ import annotations

import threading
from pathlib import Path

import h5py
import netCDF4
import numpy as np
from expectations import Expectations

# Writes of each thread.
TIMES = 60
wanted = Expectations()
barrier = threading.Barrier(4)


def with_h5py(number: int) -> None:
    """Writes and flushes a dataset of 32 KiB. number: name of the file."""
    barrier.wait()
    with h5py.File(f"{number}.h5", "w") as file:
        data = file.create_dataset("d", (64, 64), "f8", chunks=(16, 16))
        for i in range(TIMES):
            data[...] = np.full((64, 64), i)
            file.flush()


def with_netcdf() -> None:
    """Writes a variable of 4,000 bytes and synchronises its file."""
    barrier.wait()
    with netCDF4.Dataset("a.nc", "w") as file:
        file.createDimension("x", 1000)
        variable = file.createVariable("v", "i4", ("x",))
        for i in range(TIMES):
            variable[:] = np.full(1000, i)
            file.sync()


def with_files() -> None:
    """Writes lines to ordinary files."""
    barrier.wait()
    for i in range(TIMES):
        Path(f"plain{i % 5}").write_text("line\n" * i)


threads = [
    threading.Thread(target=with_h5py, args=(0,)),
    threading.Thread(target=with_h5py, args=(1,)),
    threading.Thread(target=with_netcdf),
    threading.Thread(target=with_files),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for name in ("0.h5", "1.h5"):
    wanted.add(name, H5F_OPENS=1, H5F_FLUSHES=TIMES)
    wanted.add(f"{name}:/d", H5D_OPENS=1, H5D_WRITES=TIMES, H5D_BYTES_WRITTEN=TIMES * 64 * 64 * 8)
wanted.add("a.nc", H5F_OPENS=1)
wanted.at_least("a.nc", H5F_FLUSHES=TIMES)
wanted.add("a.nc:/v", H5D_WRITES=TIMES, H5D_BYTES_WRITTEN=TIMES * 4000)
wanted.say()
