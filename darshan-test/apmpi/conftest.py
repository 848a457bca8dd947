"""Fixtures of the tests of APMPI, which are those of the tests of MPI."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
