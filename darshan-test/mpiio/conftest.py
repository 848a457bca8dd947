"""Fixtures of the MPI tests, for the tests of MPI-IO."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
