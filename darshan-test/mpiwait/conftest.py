"""Fixtures of the tests of waiting for other ranks."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
