"""Arrays over all HDF5 datasets, or all HDF5 files, of a log. A cost that is too small to notice in
one object is visible in the sum over hundreds."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ...measure.files.overflow import ID, files_of_each
from ...measure.layers.attribution import OPERATIONS, Upper
from ...units import amount, count
from ..facts import Facts
from ..finding import Evidence
from ..table import Table, added

_FILE, _DATASET = 3, 4  # values of the counter LAYERS_UPPER_MODULE
_NAMELESS = ":<anonymous>"
Mask = npt.NDArray[np.bool_]


class Objects:
    """The records of the module LAYERS (calls on HDF5 objects, and the POSIX calls below them) of
    one kind of object, HDF5 files or datasets. Each array has one element per object."""

    def __init__(self, facts: Facts, table: Table, kind: int) -> None:
        self.facts = facts
        self._table = table
        self._thing = "datasets" if kind == _DATASET else "files"
        self._rows = np.flatnonzero(table["UPPER_MODULE"] == kind)
        self.ids: npt.NDArray[np.uint64] = table.ids[self._rows]
        self.processes = table.processes[self._rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a counter by its name without the prefix; an unknown value is treated as 0."""
        return self._table[name][self._rows]

    def below(self, what: str, operations: tuple[str, ...] = OPERATIONS) -> np.ndarray:
        """Returns a sum over the POSIX calls that calls on each object caused. what: READS, WRITES,
        BYTES_READ or BYTES_WRITTEN. operations: kinds of calls on the object."""
        return added([self[f"{o}_POSIX_{what}"] for o in operations])

    def time(self, operations: tuple[str, ...] = OPERATIONS) -> np.ndarray:
        """Returns the seconds in calls on each object, including all layers below. operations:
        kinds of calls."""
        return added([self[f"F_{o}_TIME"] for o in operations])

    @property
    def asked(self) -> np.ndarray:
        """The bytes that reads and writes of each object requested."""
        return added([self["BYTES_ASKED_READ"], self["BYTES_ASKED_WRITTEN"]])

    def rows(self, place: int, *names: str) -> tuple[Evidence, ...]:
        """Returns the named counters of one object as evidence. place: the object's index in the
        arrays."""
        return self.facts.rows(self._table, int(self._rows[place]), *names)

    def sums(self, mask: Mask, *names: str) -> tuple[Evidence, ...]:
        """Returns the named counters, summed over the masked objects, as evidence. If the mask has
        one object, returns its counters with its name."""
        places = np.flatnonzero(mask)
        if len(places) == 1:
            return self.rows(int(places[0]), *names)
        return tuple(
            Evidence("LAYERS", "", f"LAYERS_{n}", self[n][mask].sum().item()) for n in names
        )

    @functools.cached_property
    def counts(self) -> np.ndarray:
        """The number of objects in each record. Objects that get their name only after their
        creation, as h5py does it, share a record."""
        found = files_of_each(self.facts.log, self.ids)
        opens = self["OPEN_CALLS"]
        for place in np.flatnonzero(opens > 1):
            if self.facts.name(int(self.ids[place])).endswith(_NAMELESS):
                found[place] = opens[place]
        return found

    def named(self, mask: Mask, weight: np.ndarray) -> str:
        """Returns text such as "300 datasets like /f.h5:/x0" for the masked objects; the name of a
        single object. weight: a number per object; the masked object with the largest one is the
        example."""
        # The overflow record is the example only if there is no other record.
        single = mask & (self.ids != ID)
        first = int(np.argmax(np.where(single if single.any() else mask, weight, -1.0)))
        name = self.facts.name(int(self.ids[first]))
        number = int(self.counts[mask].sum())
        if name.endswith(_NAMELESS) and number > 1:
            return f"{count(number)} {self._thing} in {name[: -len(_NAMELESS)]}"
        at_least = "at least " if np.any(mask & (self.ids == ID)) else ""
        return name if number == 1 else f"{at_least}{count(number)} {self._thing} like {name}"


def span(values: np.ndarray) -> str:
    """Returns the smallest and the largest number of bytes as text, "40 B to 4.00 KiB"; only one if
    both texts are equal."""
    least, most = amount(float(values.min())), amount(float(values.max()))
    return least if least == most else f"{least} to {most}"


class Hdf5:
    """The HDF5 datasets and HDF5 files of a log, and the file of each dataset."""

    def __init__(self, facts: Facts, layers: Table) -> None:
        self.files = Objects(facts, layers, _FILE)
        self.datasets = Objects(facts, layers, _DATASET)
        self._place = _files_of(facts, self.datasets.ids)

    @property
    def file_ids(self) -> npt.NDArray[np.uint64]:
        """The record id of each dataset's file; 0 for a dataset without a record of H5D."""
        return self._place

    def per_file(self, values: np.ndarray) -> np.ndarray:
        """Returns, for each HDF5 file, the sum of `values` over its datasets; an empty array if
        there is no such file. values: one per dataset."""
        if not len(self.files):
            return np.zeros(0)
        at = np.searchsorted(self.files.ids, self._place).clip(0, len(self.files) - 1)
        known = self.files.ids[at] == self._place
        return np.bincount(at[known], weights=values[known], minlength=len(self.files))

    def per_dataset(self, values: np.ndarray) -> np.ndarray:
        """Returns, for each dataset, the value of its file; 0 if the file is unknown. values: one
        per HDF5 file."""
        if not len(self.files):
            return np.zeros(len(self.datasets))
        at = np.searchsorted(self.files.ids, self._place).clip(0, len(self.files) - 1)
        return np.where(self.files.ids[at] == self._place, values[at], 0)

    def of_files(self, table: Table, values: np.ndarray) -> np.ndarray:
        """Returns, for each HDF5 file, the value that another module's table has, divided by the
        number of processes that used the file; 0 if the table lacks it. values: one per record of
        the table."""
        return joined(self.files.ids, table, values / table.processes)

    def in_files(self, mask: Mask) -> Mask:
        """Returns a mask of the datasets in the masked files."""
        return np.isin(self._place, self.files.ids[mask])

    def covers(self, datasets: Mask | None = None, files: Mask | None = None) -> frozenset[int]:
        """Returns the record ids of the masked datasets and of their files, and of the masked files
        and of their datasets. datasets, files: masks; None selects none."""
        found: set[int] = set()
        if datasets is not None:
            found |= {int(i) for i in self.datasets.ids[datasets]}
            found |= {int(i) for i in self._place[datasets]}
        if files is not None:
            found |= {int(i) for i in self.files.ids[files]}
            found |= {int(i) for i in self.datasets.ids[self.in_files(files)]}
        return frozenset(found - {0})


def with_files(facts: Facts, uppers: Iterable[Upper]) -> frozenset[int]:
    """Returns the record ids of some datasets and, as far as they are known, of their files."""
    ids = {upper.id for upper in uppers}
    if facts.attribution is not None:
        ids.update(f for i in tuple(ids) if (f := facts.attribution.file_of(i)) is not None)
    return frozenset(ids)


def joined(ids: npt.NDArray[np.uint64], table: Table, values: np.ndarray) -> np.ndarray:
    """Returns a table's values for these record ids; 0 for an id without a record. values: one per
    record of the table."""
    at = np.searchsorted(table.ids, ids).clip(0, len(table) - 1)
    return np.where(table.ids[at] == ids, values[at], 0)


def hdf5(facts: Facts) -> Hdf5 | None:
    """Returns the HDF5 objects of a log; None if it has no LAYERS records of them."""
    layers = facts.table("LAYERS")
    if layers is None or not np.isin(layers["UPPER_MODULE"], (_FILE, _DATASET)).any():
        return None
    return Hdf5(facts, layers)


def size_of(table: Table) -> npt.NDArray[np.float64]:
    """Returns the size in bytes of each HDF5 dataset or PnetCDF variable of a table, with all its
    values; 0 for variables with a record dimension, whose size the log lacks."""
    of_netcdf = table.prefix == "PNETCDF_VAR"
    points = table["NPOINTS" if of_netcdf else "DATASPACE_NPOINTS"]
    size: npt.NDArray[np.float64] = points.astype("f8") * table["DATATYPE_SIZE"]
    if of_netcdf:
        size[table["IS_RECORD_VAR"] > 0] = 0.0  # the log has only the size of one record
    return size


def whole_sizes(facts: Facts, datasets: npt.NDArray[np.uint64]) -> np.ndarray:
    """Returns the size in bytes of each HDF5 dataset with all its values; 0 for a dataset without a
    record of H5D. datasets: record ids."""
    table = facts.table("H5D")
    return np.zeros(len(datasets)) if table is None else joined(datasets, table, size_of(table))


def _files_of(facts: Facts, datasets: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Returns the record id of the file of each dataset; 0 if unknown. datasets: record ids."""
    found = np.zeros(len(datasets), "u8")
    table = facts.table("H5D")
    if table is None or not len(datasets):
        return found
    records = table.records
    ids, first = np.unique(records.ids, return_index=True)
    at = np.searchsorted(ids, datasets).clip(0, len(ids) - 1)
    known = ids[at] == datasets
    found[known] = records["file_rec_id"][first[at[known]]]
    return found
