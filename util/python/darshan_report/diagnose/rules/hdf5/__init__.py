"""Rules about HDF5 and netCDF."""
