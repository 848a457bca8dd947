"""A job with mpi4py: every rank writes 10 * (rank + 1) bytes to own-RANK in the folder of the
argument."""

from __future__ import annotations

import sys
from pathlib import Path

from mpi4py import MPI

comm = MPI.COMM_WORLD
(Path(sys.argv[1]) / f"own-{comm.rank}").write_bytes(b"0123456789" * (comm.rank + 1))
comm.Barrier()
print(f"rank {comm.rank} of {comm.size}: {MPI.Get_library_version().split()[0]}")
