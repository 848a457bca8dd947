"""Fixtures of the tests of APMPI."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
