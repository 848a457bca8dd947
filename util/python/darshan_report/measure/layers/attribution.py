"""POSIX calls that calls on HDF5 datasets and files caused: the LAYERS records, joined. If a call
of an upper layer is made inside another one, its times and counts belong only to the inner call.
Sums over records are therefore totals.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...log import Log
from ...records import UNKNOWN, Joined, Records

OPERATIONS = ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
OPEN, READ, WRITE, FLUSH, CLOSE, ATTR, META = OPERATIONS
PUTTING = (WRITE, FLUSH, CLOSE)  # HDF5 may delay a write until the close
CHUNKED = 2
LAYOUTS = {0: "compact", 1: "contiguous", CHUNKED: "chunked", 3: "virtual"}

_PREFIX = "LAYERS_"
_MPIIO, _FILE, _DATASET = 2, 3, 4  # values of UPPER_MODULE
_DIMENSIONS = 5  # of a chunk that H5D stores


@dataclass(frozen=True, eq=False)
class Upper:
    """One dataset, one HDF5 file or the application, over all processes."""

    id: int
    counters: dict[str, int]  # by name without the prefix
    times: dict[str, float]  # seconds

    def below(self, what: str, operations: tuple[str, ...] = OPERATIONS) -> int:
        """Returns READS, WRITES, OTHER, BYTES_READ or BYTES_WRITTEN of the POSIX calls below,
        summed over operations."""
        return sum(self.counters[f"{o}_POSIX_{what}"] for o in operations)

    def streams(self, what: str) -> int:
        """Returns CALLS, BYTES_READ or BYTES_WRITTEN of the STDIO calls below, summed over
        operations."""
        return sum(self.counters[f"{o}_STDIO_{what}"] for o in OPERATIONS)

    def moved(self) -> int:
        """Returns the bytes that POSIX calls and streams below read and wrote."""
        kinds = ("BYTES_READ", "BYTES_WRITTEN")
        return sum(self.below(kind) + self.streams(kind) for kind in kinds)

    def calls(self) -> int:
        """Returns the calls on the dataset or file itself."""
        return sum(self.counters[f"{o}_CALLS"] for o in OPERATIONS)

    def lower_calls(self) -> int:
        """Returns the number of POSIX calls of any kind, and of calls on streams, below."""
        posix = sum(self.below(what) for what in ("READS", "WRITES", "OTHER"))
        return posix + self.streams("CALLS")

    def time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in the calls, including all layers below."""
        return sum(self.times[f"F_{o}_TIME"] for o in operations)

    def lower_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the part of time() in POSIX or, through HDF5's stdio driver, in streams."""
        return sum(
            self.times[f"F_{o}_POSIX_TIME"] + self.times[f"F_{o}_STDIO_TIME"] for o in operations
        )

    def mpiio_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the part of time() in MPI-IO itself, without the calls that MPI-IO makes."""
        return sum(self.times[f"F_{o}_MPIIO_TIME"] for o in operations)

    def communication_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the part of time() in MPI communication."""
        return sum(self.times[f"F_{o}_COMM_TIME"] for o in operations)

    def mpi_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the part of time() between the upper layer and POSIX: MPI-IO and
        communication."""
        return self.mpiio_time(operations) + self.communication_time(operations)

    def own_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in the upper layer itself. A negative value, from rounding, becomes
        0."""
        below = self.lower_time(operations) + self.mpi_time(operations)
        return max(0.0, self.time(operations) - below)

    @property
    def asked(self) -> int:
        """Bytes that reads and writes requested."""
        return self.counters["BYTES_ASKED_READ"] + self.counters["BYTES_ASKED_WRITTEN"]

    @property
    def distinct(self) -> int:
        """Distinct bytes read plus distinct bytes written below."""
        return self.counters["DISTINCT_BYTES_READ"] + self.counters["DISTINCT_BYTES_WRITTEN"]

    @property
    def amplification(self) -> float | None:
        """Bytes moved below per requested byte; None if no byte was requested."""
        return self.moved() / self.asked if self.asked > 0 else None

    def again(self, direction: str) -> float | None:
        """Returns how often POSIX moved each byte on average, direction "READ" or "WRITTEN"; None
        if it moved no bytes."""
        distinct = self.counters[f"DISTINCT_BYTES_{direction}"]
        return self.below(f"BYTES_{direction}") / distinct if distinct > 0 else None


@dataclass(frozen=True)
class Chunks:
    """The storage of a dataset, from its H5D record."""

    shape: tuple[int, ...]  # slowest dimension first; empty: not chunked or unknown
    dimensions: int  # number of dimensions of the dataset; `shape` may have fewer


@dataclass(frozen=True, eq=False)
class Contents:
    """The datasets of one HDF5 file, and the time in calls on them."""

    datasets: int
    time: float  # seconds in their calls


@dataclass(frozen=True, eq=False)
class Metadata:
    """The metadata calls of one HDF5 file, over all processes: its H5_META record."""

    id: int
    counters: dict[str, int]  # by name without the prefix
    times: dict[str, float]  # seconds

    def calls(self, prefixes: tuple[str, ...]) -> int:
        """Returns the number of calls whose counters begin with a prefix."""
        return sum(value for name, value in self.counters.items() if name.startswith(prefixes))


def _joined(records: Records) -> tuple[npt.NDArray[np.uint64], np.ndarray, np.ndarray]:
    """Returns the ids and, per id, a row of counters and a row of fcounters: sums or largest
    values."""
    files = Joined(records)
    counters, fcounters = (
        np.where(np.array([c.summed for c in table]), files.sums(values), files.largest(values))
        for values, table in (
            (records.counters, records.module.counters),
            (records.fcounters, records.module.fcounters),
        )
    )
    return files.ids, counters, fcounters


class Attribution:
    """The LAYERS records of a log, and the H5D records of the same datasets."""

    def __init__(self, log: Log) -> None:
        """Reads the records; the log must have some. Raises LogError if they are damaged."""
        records = log.records("LAYERS")
        self._names = [c.name[len(_PREFIX) :] for c in records.module.counters]
        self._times = [c.name[len(_PREFIX) :] for c in records.module.fcounters]
        self._ids, self._counters, self._fcounters = _joined(records)
        self._kind = self._counters[:, self._names.index("UPPER_MODULE")]
        whole = [self._times.index(f"F_{o}_TIME") for o in OPERATIONS]
        with np.errstate(over="ignore", invalid="ignore"):
            self._seconds = self._fcounters[:, whole].sum(axis=1)
        self._h5d = log.records("H5D")
        self._h5_meta = log.records("H5_META")

    def _upper(self, place: int) -> Upper:
        return Upper(
            int(self._ids[place]),
            {n: int(v) for n, v in zip(self._names, self._counters[place])},
            {n: float(v) for n, v in zip(self._times, self._fcounters[place])},
        )

    def _of(self, kind: int, count: int) -> list[Upper]:
        places = np.flatnonzero(self._kind == kind)
        # The id breaks ties, so that two runs give the same report.
        order = np.lexsort((self._ids[places], -self._seconds[places]))
        return [self._upper(int(p)) for p in places[order[:count]]]

    def datasets(self, count: int) -> list[Upper]:
        """Returns the datasets with the most time in calls on them, the longest first."""
        return self._of(_DATASET, count)

    def files(self, count: int) -> list[Upper]:
        """Returns the HDF5 files with the most time in calls on the file itself, the longest
        first."""
        return self._of(_FILE, count)

    @functools.cached_property
    def num_datasets(self) -> int:
        """Number of all datasets."""
        return int(np.count_nonzero(self._kind == _DATASET))

    @functools.cached_property
    def num_files(self) -> int:
        """Number of all files."""
        return int(np.count_nonzero(self._kind == _FILE))

    def _sum(self, kinds: tuple[int, ...]) -> Upper:
        above = np.isin(self._kind, kinds)
        with np.errstate(over="ignore", invalid="ignore"):
            counters = self._counters[above].sum(axis=0)
            times = self._fcounters[above].sum(axis=0)
        counters[(self._counters[above] == UNKNOWN).any(axis=0)] = UNKNOWN
        return Upper(
            0,
            {n: int(v) for n, v in zip(self._names, counters)},
            {n: float(v) for n, v in zip(self._times, times)},
        )

    @functools.cached_property
    def everything(self) -> Upper:
        """The sum over all datasets and files of HDF5."""
        return self._sum((_FILE, _DATASET))

    @functools.cached_property
    def every_library(self) -> Upper:
        """The sum over all libraries, including the files on which the program itself uses
        MPI-IO."""
        return self._sum((_MPIIO, _FILE, _DATASET))

    @functools.cached_property
    def _in_h5d(self) -> Joined:
        return Joined(self._h5d)

    def chunks(self, dataset: int) -> Chunks:
        """Returns the chunks of a dataset, by its id."""
        place = self._in_h5d.record_of(dataset)
        if place is None:
            return Chunks((), 0)
        row = self._h5d.array[place]
        lengths = [int(row[f"H5D_CHUNK_SIZE_D{d}"]) for d in range(_DIMENSIONS, 0, -1)]
        dimensions = int(row["H5D_DATASPACE_NDIMS"])
        return Chunks(tuple(length for length in lengths if length > 0), dimensions)

    def size_of(self, dataset: int) -> int:
        """Returns the size in bytes of a dataset with all its values, by its id; 0 if unknown."""
        place = self._in_h5d.record_of(dataset)
        if place is None:
            return 0
        row = self._h5d.array[place]
        points, size = (int(row[f"H5D_{n}"]) for n in ("DATASPACE_NPOINTS", "DATATYPE_SIZE"))
        return points * size if points > 0 and size > 0 else 0

    def file_of(self, dataset: int) -> int | None:
        """Returns the id of the file that contains a dataset; None if H5D has no record of the
        dataset."""
        place = self._in_h5d.record_of(dataset)
        return None if place is None else int(self._h5d["file_rec_id"][place])

    @functools.cached_property
    def metadata(self) -> list[Metadata]:
        """The H5_META records, the record with the most time first."""
        if not len(self._h5_meta.ids):
            return []
        ids, counters, fcounters = _joined(self._h5_meta)
        prefix, module = "H5_META_", self._h5_meta.module
        names = [c.name[len(prefix) :] for c in module.counters]
        times = [c.name[len(prefix) :] for c in module.fcounters]
        with np.errstate(over="ignore", invalid="ignore"):
            order = np.lexsort((ids, -fcounters.sum(axis=1)))
        return [
            Metadata(
                int(ids[p]),
                {n: int(v) for n, v in zip(names, counters[p])},
                {n: float(v) for n, v in zip(times, fcounters[p])},
            )
            for p in order
        ]

    @functools.cached_property
    def contents(self) -> dict[int, Contents]:
        """The datasets of each file, by the file's id."""
        found: dict[int, Contents] = {}
        for place in np.flatnonzero(self._kind == _DATASET):
            file = self.file_of(int(self._ids[place]))
            if file is not None:
                old = found.get(file, Contents(0, 0.0))
                found[file] = Contents(old.datasets + 1, old.time + float(self._seconds[place]))
        return found
