"""Fixtures of the tests of waiting for other ranks, which are those of the tests of MPI."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
