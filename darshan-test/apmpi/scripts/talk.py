"""Makes MPI calls of each kind with mpi4py. test_languages.py has the counters that they must
leave."""

from __future__ import annotations

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
values, others = array("i", [1] * 1000), array("i", [0] * 4000)


def some(buffer: array[int], count: int) -> list[object]:
    """Returns the first `count` numbers of a buffer, as a message for mpi4py."""
    return [buffer, count, MPI.INT]


world.Sendrecv(some(values, 10), right, 1, some(others, 10), left, 1)
request = world.Isend(some(values, 100), right, 1)
world.Probe(left, 1)
world.Iprobe(left, 1)
world.Recv(some(others, 100), left, 1)
request.Wait()
requests = [world.Irecv(some(others, 50), left, 2), world.Issend(some(values, 50), right, 2)]
MPI.Request.Waitall(requests)
world.Irecv(some(others, 50), MPI.PROC_NULL, 2).Test()
world.Barrier()
world.Bcast(some(values, 1000))
world.Reduce(some(values, 10), some(others, 10))
world.Allreduce(MPI.IN_PLACE, some(others, 10))
world.Allgather(MPI.IN_PLACE, some(others, 7))
counts = [rank + 1 for rank in range(world.size)]
places = [20 * rank for rank in range(world.size)]
world.Gatherv(some(values, world.rank + 1), [others, (counts, places), MPI.INT])
world.Alltoall(some(values, 3), some(others, 3))
world.Iallreduce(some(values, 5), some(others, 5)).Wait()
