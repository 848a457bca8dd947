"""Tests of the POSIX calls below HDF5 calls: each operation is attributed to exactly one HDF5 call
or to the application."""
