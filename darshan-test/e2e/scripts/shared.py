"""Ranks share an HDF5 file through a parallel h5py: they write rows of a dataset by independent and
by collective calls."""

import h5py
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
rows = slice(rank * 10, (rank + 1) * 10)
block = np.arange(10 * 400, dtype="f8").reshape(10, 400) + rank

with h5py.File("shared.h5", "w", driver="mpio", comm=world) as file:
    alone = file.create_dataset("alone", (10 * size, 400), "f8")
    together = file.create_dataset("together", (10 * size, 400), "f8", chunks=(5, 400))
    file.attrs["ranks"] = size
    alone[rows, ::2] = block[:, ::2]
    with together.collective:
        together[rows] = block
with h5py.File("shared.h5", driver="mpio", comm=world) as file:
    mine = float(file["alone"][rows].sum() + file["together"][rows].sum())
total = world.reduce(mine, root=0)
if rank == 0:
    print(size, total)
