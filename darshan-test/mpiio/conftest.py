"""The fixtures of the MPI tests."""

from mpi.conftest import mpi, mpi_programs, runner  # noqa: F401
