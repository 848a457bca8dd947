"""Writes a growing variable through netCDF4, whose wheel contains netCDF and HDF5, and reads it."""

from __future__ import annotations

import netCDF4
import numpy as np
from expectations import Expectations

wanted = Expectations()
with netCDF4.Dataset("a.nc", "w") as file:
    wanted.add("a.nc", H5F_OPENS=1)
    file.createDimension("t", None)
    file.createDimension("x", 50)
    variable = file.createVariable("v", "f8", ("t", "x"), zlib=True, chunksizes=(4, 50))
    variable.unit = "m"
    for i in range(20):
        variable[i] = np.arange(50) * i
        wanted.add("a.nc:/v", H5D_WRITES=1, H5D_BYTES_WRITTEN=50 * 8)
with netCDF4.Dataset("a.nc") as file:
    wanted.add("a.nc", H5F_OPENS=1)
    print(float(file["v"][:].sum()), file["v"].unit)
    wanted.add("a.nc:/v", H5D_READS=1, H5D_BYTES_READ=20 * 50 * 8)
wanted.at_least("a.nc:/v", H5D_OPENS=2)
wanted.fix("a.nc:/v", H5D_DATASPACE_NDIMS=2, H5D_DATASPACE_NPOINTS=20 * 50, H5D_DATATYPE_SIZE=8)
wanted.fix("a.nc:/v", H5D_CHUNK_SIZE_D1=50, H5D_CHUNK_SIZE_D2=4)
wanted.at_least("a.nc", H5_META_ATTR_CREATES=1, H5_META_SET_EXTENTS=20)
wanted.say()
