"""Writes dimensions with coordinate variables, which netCDF-4 inspects by references when it opens
the file."""

from __future__ import annotations

import netCDF4
import numpy as np
from expectations import Expectations

wanted = Expectations()
with netCDF4.Dataset("scales.nc", "w") as file:
    file.createDimension("x", 10)
    file.createDimension("y", 20)
    file.createVariable("x", "f8", ("x",))[:] = np.arange(10)
    group = file.createGroup("g")
    group.createVariable("temperature", "f4", ("x", "y"), zlib=True)[:] = 1
with netCDF4.Dataset("scales.nc") as file:
    print(float(file["g/temperature"][0, 0]), float(file["x"][3]))
wanted.add("scales.nc:/x", H5D_READS=1, H5D_WRITES=1)
wanted.add("scales.nc:/g/temperature", H5D_READS=1, H5D_WRITES=1)
wanted.at_least("scales.nc", H5_META_OBJECT_OPENS=1)
wanted.say()
