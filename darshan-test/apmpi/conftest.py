"""Fixtures of the tests of APMPI, the module that counts MPI communication."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
