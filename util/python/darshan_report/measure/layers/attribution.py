"""The calls of lower layers that calls on HDF5 datasets and files caused: the records of the module
LAYERS, joined by object. If a call of an upper layer is made inside another one, its time and
counts belong only to the inner call, so sums over records count nothing twice."""

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
    """One dataset, one HDF5 file or the sum of several, over all processes, with the calls of lower
    layers that it caused."""

    id: int  # record id; 0: a sum
    counters: dict[str, int]  # by name without the prefix
    times: dict[str, float]  # seconds

    def below(self, what: str, operations: tuple[str, ...] = OPERATIONS) -> int:
        """Returns a sum over the POSIX calls that calls on this object caused. what: READS, WRITES,
        OTHER, BYTES_READ or BYTES_WRITTEN. operations: kinds of calls on the object."""
        return sum(self.counters[f"{o}_POSIX_{what}"] for o in operations)

    def streams(self, what: str) -> int:
        """Returns a sum over the calls on streams that calls on this object caused. what: CALLS,
        BYTES_READ or BYTES_WRITTEN."""
        return sum(self.counters[f"{o}_STDIO_{what}"] for o in OPERATIONS)

    def moved(self) -> int:
        """Returns the bytes that POSIX calls and streams read and wrote for this object."""
        kinds = ("BYTES_READ", "BYTES_WRITTEN")
        return sum(self.below(kind) + self.streams(kind) for kind in kinds)

    def calls(self) -> int:
        """Returns the number of calls of the upper library (HDF5) on the dataset or file itself."""
        return sum(self.counters[f"{o}_CALLS"] for o in OPERATIONS)

    def lower_calls(self) -> int:
        """Returns the number of POSIX calls of any kind, plus calls on streams, that this object
        caused."""
        posix = sum(self.below(what) for what in ("READS", "WRITES", "OTHER"))
        return posix + self.streams("CALLS")

    def time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in calls on this object, including all layers below. operations:
        kinds of calls."""
        return sum(self.times[f"F_{o}_TIME"] for o in operations)

    def lower_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in POSIX calls or, if HDF5 uses its stdio driver, in streams, that
        calls on this object caused. operations: kinds of calls."""
        return sum(
            self.times[f"F_{o}_POSIX_TIME"] + self.times[f"F_{o}_STDIO_TIME"] for o in operations
        )

    def mpiio_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in MPI-IO itself, without the calls that MPI-IO makes, that calls on
        this object caused. operations: kinds of calls."""
        return sum(self.times[f"F_{o}_MPIIO_TIME"] for o in operations)

    def communication_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds in MPI communication that calls on this object caused. operations:
        kinds of calls."""
        return sum(self.times[f"F_{o}_COMM_TIME"] for o in operations)

    def mpi_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds between the upper layer and POSIX that calls on this object caused:
        in MPI-IO itself and in communication. operations: kinds of calls."""
        return self.mpiio_time(operations) + self.communication_time(operations)

    def own_time(self, operations: tuple[str, ...] = OPERATIONS) -> float:
        """Returns the seconds of calls on this object in the upper layer itself, without all layers
        below. operations: kinds of calls. A negative value, which rounding can cause, becomes 0."""
        below = self.lower_time(operations) + self.mpi_time(operations)
        return max(0.0, self.time(operations) - below)

    @property
    def asked(self) -> int:
        """The bytes that reads and writes on this object requested."""
        return self.counters["BYTES_ASKED_READ"] + self.counters["BYTES_ASKED_WRITTEN"]

    @property
    def distinct(self) -> int:
        """The distinct bytes of the file that were read, plus those that were written, for this
        object."""
        return self.counters["DISTINCT_BYTES_READ"] + self.counters["DISTINCT_BYTES_WRITTEN"]

    @property
    def amplification(self) -> float | None:
        """Bytes moved below per requested byte; None if no byte was requested."""
        return self.moved() / self.asked if self.asked > 0 else None

    def again(self, direction: str) -> float | None:
        """Returns how often POSIX moved each distinct byte on average; None if there are no
        distinct bytes. direction: READ or WRITTEN."""
        distinct = self.counters[f"DISTINCT_BYTES_{direction}"]
        return self.below(f"BYTES_{direction}") / distinct if distinct > 0 else None


@dataclass(frozen=True)
class Chunks:
    """The chunks of a dataset, from its H5D record: their size in elements in each dimension, the
    slowest first. Empty if the dataset is not chunked, or if this is unknown."""

    shape: tuple[int, ...]  # slowest dimension first; empty: not chunked or unknown
    dimensions: int  # number of dimensions of the dataset; `shape` may have fewer


@dataclass(frozen=True, eq=False)
class Contents:
    """The number of datasets in one HDF5 file, and the time in calls on them."""

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
    """Joins records by id. Returns the ids, a row of integer counters per id, and a row of
    floating-point counters per id: sums or largest values."""
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
    """The records of the module LAYERS, joined over processes, with the H5D and H5_META records of
    the same log."""

    def __init__(self, log: Log) -> None:
        """Reads the records, of which the log must have at least one. Raises LogError if they are
        damaged."""
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
        """Returns the `count` datasets with the most time in calls on them, the longest first."""
        return self._of(_DATASET, count)

    def files(self, count: int) -> list[Upper]:
        """Returns the `count` HDF5 files with the most time in calls on the file itself, the
        longest first."""
        return self._of(_FILE, count)

    @functools.cached_property
    def num_datasets(self) -> int:
        """The number of all datasets."""
        return int(np.count_nonzero(self._kind == _DATASET))

    @functools.cached_property
    def num_files(self) -> int:
        """The number of all HDF5 files."""
        return int(np.count_nonzero(self._kind == _FILE))

    def _sum(self, kinds: tuple[int, ...]) -> Upper:
        """Returns the sum of all objects of these kinds, with record id 0."""
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
        """The sum over all HDF5 datasets and files."""
        return self._sum((_FILE, _DATASET))

    @functools.cached_property
    def every_library(self) -> Upper:
        """The sum over all upper libraries: HDF5, and MPI-IO as far as the program calls it
        itself."""
        return self._sum((_MPIIO, _FILE, _DATASET))

    @functools.cached_property
    def _in_h5d(self) -> Joined:
        return Joined(self._h5d)

    def chunks(self, dataset: int) -> Chunks:
        """Returns the chunks of a dataset, by its record id; an empty shape if it has none or no
        H5D record."""
        place = self._in_h5d.record_of(dataset)
        if place is None:
            return Chunks((), 0)
        row = self._h5d.array[place]
        lengths = [int(row[f"H5D_CHUNK_SIZE_D{d}"]) for d in range(_DIMENSIONS, 0, -1)]
        dimensions = int(row["H5D_DATASPACE_NDIMS"])
        return Chunks(tuple(length for length in lengths if length > 0), dimensions)

    def size_of(self, dataset: int) -> int:
        """Returns the size in bytes of a dataset with all its values, by its record id; 0 if
        unknown."""
        place = self._in_h5d.record_of(dataset)
        if place is None:
            return 0
        row = self._h5d.array[place]
        points, size = (int(row[f"H5D_{n}"]) for n in ("DATASPACE_NPOINTS", "DATATYPE_SIZE"))
        return points * size if points > 0 and size > 0 else 0

    def file_of(self, dataset: int) -> int | None:
        """Returns the record id of the file that contains a dataset; None if H5D has no record of
        the dataset."""
        place = self._in_h5d.record_of(dataset)
        return None if place is None else int(self._h5d["file_rec_id"][place])

    @functools.cached_property
    def metadata(self) -> list[Metadata]:
        """The H5_META records, joined by file, the file with the most time first; [] if the log has
        none."""
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
        """The number of datasets of each HDF5 file and the seconds in calls on them, by the file's
        record id."""
        found: dict[int, Contents] = {}
        for place in np.flatnonzero(self._kind == _DATASET):
            file = self.file_of(int(self._ids[place]))
            if file is not None:
                old = found.get(file, Contents(0, 0.0))
                found[file] = Contents(old.datasets + 1, old.time + float(self._seconds[place]))
        return found
