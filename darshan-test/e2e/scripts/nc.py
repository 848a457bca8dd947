"""Writes a variable with an unlimited dimension through netCDF4, whose wheel contains its own
netCDF and HDF5."""

import netCDF4
import numpy as np

with netCDF4.Dataset("a.nc", "w") as file:
    file.createDimension("t", None)
    file.createDimension("x", 50)
    variable = file.createVariable("v", "f8", ("t", "x"), zlib=True)
    for i in range(20):
        variable[i] = np.arange(50) * i
with netCDF4.Dataset("a.nc") as file:
    print(float(file["v"][:].sum()))
