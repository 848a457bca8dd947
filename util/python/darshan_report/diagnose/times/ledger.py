"""The ledger of a log: a table of what its processes did during their lifetimes. Each second counts
in exactly one row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...call_sites.lines import sites_of
from ...call_sites.measured import LONG
from ...classes import dataclass
from ...measure.layers.exclusive import own_times
from ...measure.processes.usage import Usage
from ..facts import Facts, once
from ..programs import program_text
from ..table import Table
from . import waits
from .cpu_wait import computed, computing_part, real_part, runnable
from .loops import between_all, loops_of
from .naming import mapping_times, naming_times

READS, WRITES, OPENS, MAPPINGS, LOOKUPS, LISTINGS, SYNCS, BUFFERS = (
    "reads", "writes", "opens", "mappings", "lookups", "listings", "syncs", "buffers",
)  # fmt: skip
LOCKS = "locks"
RANKS = "ranks"
IMPORTS, HDF5, MPIIO, COMMUNICATION = "imports", "hdf5", "mpiio", "communication"
WAITING, PROCESSOR, BETWEEN, RECORDING, COMPUTING, ASLEEP, OUTSIDE, REST = (
    "waiting", "processor", "between", "recording", "computing", "asleep", "outside", "rest",
)  # fmt: skip

TITLES = {
    READS: "Reading files",
    WRITES: "Writing files",
    OPENS: "Opening, closing, seeking and querying files",
    MAPPINGS: "Mapping files into memory, and unmapping them",
    LOOKUPS: "Looking up names that do not exist",
    LISTINGS: "Listing folders",
    SYNCS: "Waiting for data to reach storage (fsync and the like)",
    BUFFERS: "Calls of the C library, served from its buffers",
    IMPORTS: "Loading program files and modules",
    HDF5: "HDF5 itself",
    MPIIO: "MPI-IO itself",
    COMMUNICATION: "MPI communication below HDF5 and MPI-IO",
    LOCKS: "Locks of files, and waiting for them (flock, lockf, fcntl)",
    RANKS: "Waiting for other ranks, in MPI",
    WAITING: "Waiting for other processes or threads, and sleeping",
    PROCESSOR: "Waiting for a processor",
    BETWEEN: "Between calls of I/O loops: libraries, formatting, parsing",
    RECORDING: "Recording the calls: Darshan itself, estimated",
    COMPUTING: "Computing",
    ASLEEP: "Sleeping outside of recorded calls (network, pipes, page faults)",
    OUTSIDE: "Outside of I/O calls: computing and waiting",
    REST: "Unknown",
}
# Rows of I/O, whose time a change of the program's I/O may save.
IO = (
    READS, WRITES, OPENS, MAPPINGS, LOOKUPS, LISTINGS, SYNCS, BUFFERS, HDF5, MPIIO, COMMUNICATION,
)  # fmt: skip
_OWN = {"HDF5 itself": HDF5, "MPI-IO itself": MPIIO, "MPI communication": COMMUNICATION}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One row of the ledger: one kind of activity, and the seconds that all processes together
    spent in it."""

    key: str  # a constant such as READS
    seconds: float

    @property
    def title(self) -> str:
        """A phrase that says what the processes did in this time."""
        return TITLES[self.key]


@dataclass(frozen=True)
class Ledger:
    """The ledger of a log: how the lifetimes of its processes divide into kinds of activity. Has
    only rows with some time, in the order of TITLES. Their sum is `whole`, the lifetimes of all
    processes. If calls of several threads overlap, `whole` is the time of all threads in calls plus
    the computing."""

    rows: tuple[Row, ...]
    whole: float  # seconds
    threads: bool  # calls of several threads overlap

    def __getitem__(self, key: str) -> float:
        """Returns the seconds of a row; 0 if the ledger lacks it."""
        return next((row.seconds for row in self.rows if row.key == key), 0.0)


@once
def ledger(facts: Facts) -> Ledger:
    """Returns the ledger of a log."""
    spent = io_rows(facts)
    in_calls = sum(spent.values())
    threads = in_calls > facts.process_time > 0
    locked = _for_locks(facts)
    waited = max(0.0, _lived(facts) - facts.process_time)
    idle = min(waited, locked)  # the working time does not contain most of these waits
    computed, asleep = _outside_of_calls(facts, in_calls + locked - idle)
    if threads:
        # Outside of calls, the log shows only how long each thread computed.
        spent[COMPUTING] = computed
        spent[LOCKS] = locked
    else:
        left = max(0.0, facts.process_time - in_calls)
        spent[RANKS] = min(left, _for_ranks(facts))
        left -= spent[RANKS]
        computed, queued = _without_polling(spent[RANKS], computed, _for_a_processor(facts))
        spent[PROCESSOR] = min(left, queued)
        left -= spent[PROCESSOR]
        spent[COMPUTING] = min(left, computed)
        left -= spent[COMPUTING]
        spent[LOCKS] = min(left, locked - idle)
        left -= spent[LOCKS]
        spent[ASLEEP] = min(left, asleep)
        # Without the kernel's counts (in logs of Darshan 3.5), the use of the remaining time is
        # unknown.
        rest = REST if facts.table("USAGE") is not None else OUTSIDE
        left -= spent[ASLEEP]
        # Waits for a processor that might have been in calls were outside, if this time is left.
        more = min(left, max(0.0, runnable(facts) - spent[PROCESSOR]))
        spent[PROCESSOR] += more
        spent[rest] = left - more
        spent[LOCKS] += idle
        spent[WAITING] = waited - idle
    spent[RECORDING] = min(spent[COMPUTING], facts.recording)
    spent[COMPUTING] -= spent[RECORDING]
    spent[BETWEEN] = min(spent[COMPUTING], between_all(facts))
    spent[COMPUTING] -= spent[BETWEEN]
    rows = tuple(Row(key, spent[key]) for key in TITLES if spent.get(key, 0.0) > 0)
    return Ledger(rows, sum(row.seconds for row in rows), threads)


@once
def long_part(facts: Facts) -> float:
    """Returns the fraction (0 to 1) of the time in gaps of at least 10 milliseconds that the
    processes worked, and did not wait for a processor. A wait is as long as that on most machines,
    so shorter gaps are taken to have none. 1 if no process waited, or without call sites."""
    known, seen = loops_of(facts), ledger(facts)
    waited = seen[PROCESSOR]
    if known is None or facts.needed_time >= facts.process_time or waited <= 0:
        return 1.0
    shorter = known.overlap * sum(sum(site.sums.gaps[:LONG]) for site in sites_of(facts.log))
    left = max(0.0, seen[BETWEEN] + seen[COMPUTING] - shorter)
    return left / (left + waited)


def _for_locks(facts: Facts) -> float:
    """Returns the seconds in calls that set or release file locks, summed over all processes; 0 if
    unknown."""
    extra = facts.table("POSIX_EXT")
    return 0.0 if extra is None else extra.sum("F_LOCK_TIME")


def _for_ranks(facts: Facts) -> float:
    """Returns the seconds in which ranks waited for other ranks in MPI calls of the application; 0
    if unknown. MPI calls of I/O libraries are not counted."""
    known = waits.waiting(facts)
    return 0.0 if known is None else known.seconds


def _without_polling(waited: float, computed: float, runnable: float) -> tuple[float, float]:
    """Returns the processor time outside of calls, and the waits for a processor, both without
    their parts in MPI. MPI libraries poll for messages, so a waiting rank uses a processor or waits
    for one. All parameters are seconds."""
    both = computed + runnable
    left = max(0.0, both - waited) / both if both > 0 else 0.0
    return computed * left, runnable * left


def _lived(facts: Facts) -> float:
    """Returns the lifetimes of all processes in seconds, summed."""
    return facts.processes.seconds if facts.processes else facts.run_time * facts.nprocs


def _for_a_processor(facts: Facts) -> float:
    """Returns the seconds in which the main threads waited for a processor. If the times of calls
    may still contain such waits, returns only what exceeds these times."""
    spent = runnable(facts)
    return spent if real_part(facts) < 1 else max(0.0, spent - facts.base_time)


def _outside_of_calls(facts: Facts, in_calls: float) -> tuple[float, float]:
    """Returns, outside of calls on files, the processor time and the time in which the main threads
    slept, in seconds; both 0 without USAGE records. User time counts as outside of calls; system
    time only beyond the part of the calls that was not sleep. The kernel does not report when a
    thread slept, so sleep is treated as sleep in calls up to the length of the calls. in_calls:
    seconds in calls on files, summed over all processes."""
    table = facts.table("USAGE")
    if table is None:
        return 0.0, 0.0
    known = Usage(table.records)
    user, system, blocked = (
        float(known[name].sum()) for name in ("F_USER_TIME", "F_SYSTEM_TIME", "F_BLOCKED_TIME")
    )
    in_calls_awake = max(0.0, in_calls - blocked)
    return user + max(0.0, system - in_calls_awake), max(0.0, blocked - in_calls)


@once
def io_rows(facts: Facts) -> dict[str, float]:
    """Returns the seconds of the ledger's rows for I/O and for imports, by row, summed over all
    processes and threads. Time in which calls waited for a processor is left out."""
    found = dict.fromkeys((IMPORTS, *IO), 0.0)
    for layer, table in facts.layers:
        if layer.base:
            _add_files(facts, table, found)
    found[READS] += facts.direct[0]
    found[WRITES] += facts.direct[1]
    extra = facts.table("POSIX_EXT")
    if extra is not None:
        found[LOOKUPS] += extra.sum("F_MISS_TIME")
        found[LISTINGS] += extra.sum("F_LIST_TIME")
        found[SYNCS] += extra.sum("F_FSYNC_TIME") + extra.sum("F_SYNC_TIME")
    found[OPENS] += max(0.0, facts.beside.metadata - found[LOOKUPS] - found[LISTINGS])
    _move_buffered(facts, found)
    part = real_part(facts)
    in_memory, ran = computing_part(facts), computed(facts)
    served = in_memory * max(0.0, 1 - facts.recording / ran) if ran > 0 else in_memory
    found = {key: value * (served if key == BUFFERS else part) for key, value in found.items()}
    for own in own_times(facts.attribution) if facts.attribution else ():
        # Libraries below MPI also wait for other ranks.
        found[_OWN[own.title]] += own.time * (1.0 if facts.together else in_memory)
    return found


def _add_files(facts: Facts, table: Table, found: dict[str, float]) -> None:
    """Adds the seconds of one table's files, of POSIX or STDIO, to `found`, by row of the
    ledger."""
    program = program_text.which(facts, table)
    found[IMPORTS] += float(facts.time(table)[program].sum())
    own = ~program
    if table.prefix == "STDIO" and facts.streams is not None:
        own = own & facts.streams.files
    found[READS] += float(table["F_READ_TIME"][own].sum())
    found[WRITES] += float(facts.writing(table)[own].sum())
    found[OPENS] += float(naming_times(facts, table)[own].sum())
    times = mapping_times(facts) if table.prefix == "POSIX" else None
    if times is not None:
        found[MAPPINGS] += float(times[own].sum())


def _move_buffered(facts: Facts, found: dict[str, float]) -> None:
    """Moves the time of calls on streams that the C library's buffer served from the rows READS and
    WRITES of `found` to the row BUFFERS."""
    streams = facts.streams
    if streams is None or not streams.known:
        return
    for kind, key in (("READ", READS), ("WRITE", WRITES)):
        spent = streams.table[f"F_{kind}_TIME"]
        below = streams.time(kind) + (streams["F_FLUSH_TIME"] if kind == "WRITE" else 0.0)
        program = program_text.which(facts, streams.table)
        served = float(np.maximum(0.0, spent - below)[streams.files & ~program].sum())
        served = min(served, found[key])
        found[key] -= served
        found[BUFFERS] += served
