"""Each rank writes slices of a shared file, independently and collectively, and reads another
rank's."""

import numpy as np
from mpi4py import MPI

COUNT = 5000
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
values = np.arange(COUNT, dtype="i4") + rank * COUNT

file = MPI.File.Open(world, "slices", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at(rank * values.nbytes, values)
file.Set_view(size * values.nbytes, MPI.INT32_T)
for i in range(10):
    file.Write_at_all((i * size + rank) * 50, values[50 * i : 50 * i + 50])
file.Iwrite_at(size * 500 + 10 * rank, values[:10]).Wait()
file.Sync()
world.Barrier()
file.Set_view(0, MPI.BYTE)
neighbour = np.empty_like(values)
file.Read_at_all((rank + 1) % size * values.nbytes, neighbour)
file.Close()
total = world.reduce(int(neighbour.sum()), root=0)
if rank == 0:
    print(total, COUNT * size * (COUNT * size - 1) // 2)
