"""Fixtures of the tests of MPI-IO, which are those of the tests of MPI."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
