"""Uses three Python packages in one process, each with its own HDF5 library. Objects of the three
libraries have the same numbers as ids and are open at the same time."""

from __future__ import annotations

import h5py
import netCDF4
import numpy as np
import tables
from expectations import Expectations

versions = {h5py.version.hdf5_version, netCDF4.__hdf5libversion__, tables.hdf5_version}
wanted = Expectations()
first = h5py.File("h5py.h5", "w")
second = tables.open_file("tables.h5", "w")
third = netCDF4.Dataset("netcdf.nc", "w")
third.createDimension("x", 30)
for name in ("h5py.h5", "tables.h5", "netcdf.nc"):
    wanted.add(name, H5F_OPENS=1)
one = first.create_dataset("d", (10,), "i4")
two = second.create_array("/", "d", np.arange(20, dtype="i8"), track_times=False)
three = third.createVariable("d", "f4", ("x",))
wanted.add("h5py.h5:/d", H5D_OPENS=1)
wanted.add("tables.h5:/d", H5D_WRITES=1, H5D_BYTES_WRITTEN=160)
for i in range(6):
    one[...] = i
    wanted.add("h5py.h5:/d", H5D_WRITES=1, H5D_BYTES_WRITTEN=40)
    if i % 2:
        two[:] = np.full(20, i)
        wanted.add("tables.h5:/d", H5D_WRITES=1, H5D_BYTES_WRITTEN=160)
    if i % 3:
        three[:] = np.full(30, i)
        wanted.add("netcdf.nc:/d", H5D_WRITES=1, H5D_BYTES_WRITTEN=120)
print(int(one[...].sum()), int(two[:].sum()), float(three[:].sum()))
wanted.add("h5py.h5:/d", H5D_READS=1, H5D_BYTES_READ=40, H5D_RW_SWITCHES=1)
wanted.add("tables.h5:/d", H5D_READS=1, H5D_BYTES_READ=160, H5D_RW_SWITCHES=1)
wanted.add("netcdf.nc:/d", H5D_READS=1, H5D_BYTES_READ=120, H5D_RW_SWITCHES=1)
first.close()
second.close()
third.close()
print(len(versions), "versions of HDF5")
wanted.say()
