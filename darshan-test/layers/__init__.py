"""Tests of the module LAYERS, which attributes POSIX calls to the HDF5 calls that made them: no
operation is lost or counted twice."""
