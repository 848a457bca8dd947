"""Encodes records of the module APMPI (MPI communication), and computes the rows that
darshan-parser must print for them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .model import Apmpi, ApmpiHead

MAGIC = 0x41504D5049
# MPI calls in the order of the record. A hyphen marks a call that is counted without its bytes.
_CALLS = """
    SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV
    -PROBE -IPROBE -TEST -TESTANY -TESTALL -TESTSOME -WAIT -WAITANY -WAITALL -WAITSOME
    -BARRIER -IBARRIER BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV
    REDUCE ALLREDUCE REDUCE_SCATTER ALLTOALL ALLTOALLV ALLTOALLW IBCAST IGATHER IGATHERV
    ISCATTER ISCATTERV ISCAN IEXSCAN IALLGATHER IALLGATHERV IREDUCE IALLREDUCE IREDUCE_SCATTER
    IALLTOALL IALLTOALLV IALLTOALLW PUT GET ACCUMULATE GET_ACCUMULATE -FETCH_AND_OP
    -COMPARE_AND_SWAP -WIN_FENCE -WIN_START -WIN_COMPLETE -WIN_POST -WIN_WAIT -WIN_TEST
    -WIN_LOCK -WIN_UNLOCK -WIN_UNLOCK_ALL -WIN_FLUSH -WIN_FLUSH_ALL -WIN_FLUSH_LOCAL
    -WIN_FLUSH_LOCAL_ALL -WIN_SYNC
"""
SIZED = _CALLS.split()
CALLS = tuple(name.lstrip("-") for name in SIZED)
SIZES = ("0_256", "256_1K", "1K_8K", "8K_256K", "256K_1M", "1M_PLUS")
BYTES = ("TOTAL_BYTES", *(f"MSG_SIZE_AGG_{size}" for size in SIZES))
COUNTERS = tuple(
    f"MPI_{name.lstrip('-')}_{what}"
    for name in SIZED
    for what in ("CALL_COUNT", *(() if name.startswith("-") else BYTES))
)
TIMES = tuple(f"MPI_{name}_{what}_TIME" for name in CALLS for what in ("TOTAL", "MIN", "MAX"))
_FIRST, _LAST = CALLS.index("BCAST"), CALLS.index("ALLTOALLW")
SYNC_TIMES = tuple(
    f"MPI_{name}_TOTAL_SYNC_TIME" for name in ("BARRIER", *CALLS[_FIRST : _LAST + 1])
)


def encode(order: str, record: Apmpi | ApmpiHead) -> bytes:
    """Returns the bytes of a record. order: "<" for little-endian, ">" for big-endian."""
    base = struct.pack(f"{order}Qq", record.id, record.rank)
    if isinstance(record, ApmpiHead):
        return base + struct.pack(f"{order}qI4x2d", MAGIC, record.sync, *record.variances)
    numbers = struct.pack(f"{order}{len(COUNTERS)}Q", *record.counters)
    times = (*record.times, *record.sync_times, *record.totals)
    return base + numbers + struct.pack(f"{order}{len(times)}d128s", *times, record.processor)


def values(record: Apmpi | ApmpiHead, sync: bool) -> Iterator[tuple[str, str]]:
    """Yields each counter of a record with the value that the parser prints. sync: whether the log
    has the times of waiting in collective calls."""
    totals = ("MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME")
    if isinstance(record, ApmpiHead):
        named = list(zip((f"{name}_VARIANCE" for name in totals), record.variances))
        yield from ((name, f"{value:f}") for name, value in named[: 1 + sync])
        return
    yield "MPI_PROCESSOR_NAME", record.processor.decode()
    yield from ((name, str(value)) for name, value in zip(COUNTERS, record.counters))
    waits = list(zip(SYNC_TIMES, record.sync_times)) if sync else []
    named = [*zip(TIMES, record.times), *waits, *list(zip(totals, record.totals))[: 1 + sync]]
    yield from ((name, f"{value:f}") for name, value in named)
