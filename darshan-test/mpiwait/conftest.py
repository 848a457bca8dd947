"""Fixtures of the tests of MPIWAIT, the module that records how long ranks wait for other ranks."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
