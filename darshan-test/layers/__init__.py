"""Tests of the POSIX calls below HDF5 calls: no operation is lost or counted twice."""
