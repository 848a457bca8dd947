"""Looks up functions of MPI as Python programs do, and prints the results, which test_names.py
compares."""

from __future__ import annotations

import ctypes

NAMES = ("MPI_Init", "MPI_Session_init", "MPI_File_write_at_c", "MPI_Allreduce_c", "MPI_Pready")

process = ctypes.CDLL(None)
print([hasattr(process, name) for name in NAMES])

from mpi4py import MPI  # noqa: E402 - results before and after are compared

print([hasattr(process, name) for name in NAMES])
try:
    session = MPI.Session.Init()
    session.Finalize()
    print("sessions")
except NotImplementedError:
    print("no sessions")
