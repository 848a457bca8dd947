"""Makes the calls of "collectives" in waits.c with mpi4py. Usage: waits.py FOLDER."""

import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
took = 0.0
for call in (comm.barrier, lambda: comm.bcast(1, root=comm.size - 1)):
    if comm.rank == comm.size - 1:
        time.sleep(0.05)
    begun = time.perf_counter()
    call()
    took += time.perf_counter() - begun
with open(f"{sys.argv[1]}/took.{comm.rank}", "w") as out:
    out.write(f"{took} 1\n")
