"""Every process reads a whole HDF5 dataset or PnetCDF variable. Even if the file is read fast, each
process decompresses and converts all values again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....records import among, in_both
from ....units import amount, count, plural, seconds, share
from ...accesses.objects import Hdf5, hdf5, joined, size_of
from ...accesses.readers import UNEVEN, at_once
from ...facts import Facts, leading
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...reached import needs
from ...table import Table
from . import read_by_each_worker

NAME = "dataset-read-by-all"
ROLE = CAUSE
_MODULES = ("H5D", "PNETCDF_VAR")
_COMMON = 4  # number of common accesses in a record
_NAMELESS = ":<anonymous>"  # end of the names of records of several datasets
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@needs(*_MODULES)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all datasets that every process of a job, or every worker, reads as a
    whole; nothing if there are none."""
    if not facts.together and facts.tree is None:
        return
    tables = [t for t in map(facts.table, _MODULES) if t is not None]
    h5 = hdf5(facts)
    lost = [_lost(facts, table, h5) for table in tables]
    stake = facts.stake(
        sum(float(each.sum()) for each in lost),
        "time in reads of these datasets, with the filters and conversions of the library, beyond "
        "that of one process",
    )
    number = sum(int((each > 0).sum()) for each in lost)
    if number == 0 or not facts.worth(stake):
        return
    most = max(range(len(tables)), key=lambda i: float(lost[i].max(initial=0)))
    table = tables[most]
    (first,) = leading(lost[most] > 0, lost[most], 1)
    yield Finding(
        NAME,
        "Every process reads the same dataset",
        _sentence(
            facts,
            table,
            first,
            number=number,
            time=_time(tables, lost),
            inside=_inside(h5, tables, lost),
        ),
        stake=stake,
        evidence=_evidence(facts, table, first),
        remedy=_OF_JOBS if facts.together else _OF_WORKERS,
        limits=("byall.share", "byeach.processes"),
        covers=_covers(tables, lost),
    )


_ROWS = (
    "H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, rows, NULL);  "
    "H5Dread(dset, type, memory, space, dxpl, mine)\n"
    "nc_get_vara_double(nc, var, start, rows, mine);  "
    "ncmpi_get_vara_double_all(nc, var, start, rows, mine)\n"
    "Python: x = file['x'][first:last]  # h5py, netCDF4: the rows of this process\n"
)
_PART = "Let each process read only what it needs of the dataset, such as a hyperslab of its rows"
_OF_JOBS = Remedy(
    f"{_PART}. If all of them need all values, let one process read them, and send them to the "
    "others (MPI_Bcast).",
    _ROWS + "C: if (rank == 0) H5Dread(...);  MPI_Bcast(values, n, MPI_DOUBLE, 0, comm)\n"
    "Python: x = comm.bcast(file['x'][:] if comm.rank == 0 else None)",
)
_OF_WORKERS = Remedy(
    f"{_PART}. If all of them need all values, read them once, before the workers are started, "
    "which then share them without a copy.",
    _ROWS + "Python: x = file['x'][:]  # before Pool(...), workers of fork have it\n"
    "Python: multiprocessing.shared_memory",
)


def _points(table: Table) -> str:
    """Returns the name of the counter of a dataset's elements."""
    return "NPOINTS" if table.prefix == "PNETCDF_VAR" else "DATASPACE_NPOINTS"


def _lost(facts: Facts, table: Table, h5: Hdf5 | None) -> Floats:
    """Returns the seconds per dataset that one reader in place of many would save; 0 for datasets
    that are not read as a whole by all, or that the finding about workers of a DataLoader covers.
    table: the datasets; h5: HDF5's records, if any."""
    size, readers = size_of(table), table.processes.astype("f8")
    told = {i for f in facts.found(read_by_each_worker.find) for i in f.covers}
    # The process that starts the workers may query only the shape.
    least = np.maximum(readers if facts.together else readers - 1, 1)
    found: Mask = (size > 0) & table.shared & facts.single(table)
    found &= table["BYTES_READ"] >= facts.limits["byall.share"] * size * least
    found &= (table["BYTES_WRITTEN"] <= size) & ~among(table.ids, np.array(list(told), "u8"))
    found &= _is_even(table)
    found &= _in_whole(facts, table, size, least) | _is_covered(facts, table, size, least, h5)
    for place in np.flatnonzero(found):
        number = int(table.ids[place])
        found[place] = not facts.name(number).endswith(_NAMELESS) and (
            facts.tree is None or at_once(facts, facts.tree, table, number) > 0
        )
    time = table["F_READ_TIME"] * (1 - 1 / np.maximum(least, 1))
    return np.where(found, time, 0.0)


def _is_even(table: Table) -> Mask:
    """Returns a mask of the datasets of which all processes move about the same number of bytes."""
    mean = (table["BYTES_READ"] + table["BYTES_WRITTEN"]) / np.maximum(table.processes, 1)
    even: Mask = table["F_VARIANCE_RANK_BYTES"] <= (UNEVEN * mean) ** 2
    return even


def _in_whole(facts: Facts, table: Table, size: Floats, least: Floats) -> Mask:
    """Returns a mask of the datasets of which most processes read all values with one call. size:
    bytes per dataset; least: the smallest possible number of readers per dataset."""
    calls = sum(
        np.where(table[f"ACCESS{n}_ACCESS"] == size, table[f"ACCESS{n}_COUNT"], 0)
        for n in range(1, _COMMON + 1)
    )
    written = np.where(table["BYTES_WRITTEN"] >= size, 1, 0)
    enough: Mask = calls - written >= facts.limits["byall.share"] * least
    return enough


def _is_covered(
    facts: Facts, table: Table, size: Floats, least: Floats, h5: Hdf5 | None
) -> Mask:  # fmt: skip
    """Returns a mask of the HDF5 datasets that each process reads completely, in distinct pieces,
    as the number of distinct bytes that it read from the file shows. The log lacks the compressed
    size of a dataset; for a filtered dataset, the end of the bytes that were read from the file
    replaces it, so a compressed dataset that is only a part of its file is missed. size: bytes per
    dataset; least: the smallest possible number of readers per dataset; h5: HDF5's records; if
    None, no dataset is in the mask."""
    found = np.zeros(len(table), bool)
    if h5 is None or table.prefix != "H5D" or not len(h5.datasets):
        return found
    sets, posix = h5.datasets, facts.table("POSIX")
    here, there = in_both(table.ids, sets.ids)
    ends = np.zeros(len(sets))
    if posix is not None:
        ends = joined(h5.file_ids, posix, posix["MAX_BYTE_READ"] + 1.0)
    packed = np.where(ends > 0, ends, np.inf)[there]
    stored = np.where(sets["FILTERS"][there] > 0, packed, size[here])
    distinct = (sets["DISTINCT_BYTES_READ"] - sets["DISTINCT_ERROR"])[there]
    found[here] = distinct >= facts.limits["byall.share"] * stored * least[here]
    return found


def _time(tables: list[Table], lost: list[Floats]) -> float:
    """Returns the seconds in reads of the datasets that lost time."""
    return sum(float(t["F_READ_TIME"][each > 0].sum()) for t, each in zip(tables, lost))


def _inside(h5: Hdf5 | None, tables: list[Table], lost: list[Floats]) -> float:
    """Returns the seconds that reads of the datasets of the finding took in HDF5 itself, without
    lower layers; 0 if `h5` is None. lost: lost seconds per dataset, an array for each table; only
    datasets with more than 0 count."""
    if h5 is None:
        return 0.0
    sets, ids = h5.datasets, np.concatenate([t.ids[each > 0] for t, each in zip(tables, lost)])
    below = sum(sets[f"F_READ_{layer}_TIME"] for layer in ("POSIX", "STDIO", "MPIIO", "COMM"))
    own = np.maximum(0.0, sets.time(("READ",)) - below)
    return float(own[among(sets.ids, ids)].sum())


def _sentence(
    facts: Facts, table: Table, first: int, *, number: int, time: float, inside: float
) -> str:  # fmt: skip
    """Returns the sentences of the finding. first: row of the dataset that is named. number: of all
    datasets. time, inside: seconds of their reads, and in HDF5 itself."""
    size, read = size_of(table)[first], float(table["BYTES_READ"][first])
    of_all = f", of which {seconds(inside)} ({share(inside, time)}) in HDF5 itself, which unpacks "
    of_all += "and converts all values anew for each process"
    return (
        f"{plural(int(table.processes[first]), 'process')} read all {amount(size)} of "
        f"{facts.name(table.ids[first])}, each for itself: {amount(read)} in "
        f"{count(_reads(table, first))} reads, {read / size:.1f} times the dataset"
        + (f"; the same holds for {plural(number - 1, 'more dataset')}" if number > 1 else "")
        + f". That took {seconds(time)}{facts.over_all}"
        + (of_all if 2 * inside >= time > 0 else "")
        + "."
    )


def _reads(table: Table, first: int) -> int:
    """Returns the number of reads of a dataset. first: its row."""
    names = ("READS", "INDEP_READS", "COLL_READS", "NB_READS")
    return sum(int(table[name][first]) for name in names if table.has(name))


def _evidence(facts: Facts, table: Table, first: int) -> tuple[Evidence, ...]:
    """Returns the reads of a dataset as evidence. first: its row."""
    names = ("READS", "INDEP_READS", "COLL_READS", "NB_READS", "BYTES_READ", _points(table),
             "DATATYPE_SIZE", "F_READ_TIME")  # fmt: skip
    return facts.rows(table, first, *(name for name in names if table.has(name)))


def _covers(tables: list[Table], lost: list[Floats]) -> frozenset[int]:
    """Returns the ids of the datasets that lost time, and of their files. lost: lost seconds per
    dataset, an array for each table."""
    found: set[int] = set()
    for table, each in zip(tables, lost):
        ids = table.ids[each > 0]
        found |= {int(i) for i in ids}
        rows = among(table.records.ids, ids)
        found |= {int(i) for i in table.records["file_rec_id"][rows]}
    return frozenset(found - {0})
