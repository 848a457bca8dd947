"""Single values are stored as separate datasets, groups or attributes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....classes import dataclass
from ....measure.files.overflow import ID
from ....measure.layers.attribution import (
    ATTR,
    CLOSE,
    META,
    OPEN,
    OPERATIONS,
    READ,
    WRITE,
)
from ....units import amount, plural, seconds
from ...accesses.objects import Hdf5, Objects, hdf5, joined, whole_sizes
from ...facts import Facts
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from ...table import added
from ...times.loops import Between, between
from . import flush_per_chunk
from .objects_searched import searched

NAME = "many-objects"
ROLE = CAUSE
_AGAIN = 10  # opens of an attribute
_HEADER = 40  # bytes of an attribute in a file, at least
_ONCE = Remedy(
    "Read the attributes once, before the loop, and keep their values in variables.",
    "Python: gain = data.attrs['gain']  # before the loop\n"
    "C: H5Aread(attribute, H5T_NATIVE_DOUBLE, &gain);  /* before the loop */",
)
_ARRAY = Remedy(
    "Keep values of one kind in one array, in one table (a compound type) or in one array "
    "attribute; store names and numbers of results as columns, not as objects.",
    "H5Dcreate2 of all values, H5Dwrite once\n"
    "Python: file['all'] = array;  create_table\n"
    "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST) where they must stay",
)
_PART = 0.1  # smallest share of the time with which a kind of objects is named in the title
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Kind:
    """The HDF5 objects of one kind (datasets, groups or attributes), as arrays with an element per
    file."""

    name: str
    number: Values  # objects, or opens of objects per process and open of the file
    created: bool  # `number` counts objects, not opens
    time: Values


def _number(facts: Facts, h5: Hdf5, created: str, opened: tuple[str, ...]) -> tuple[Values, bool]:
    """Returns, for each file, how many attributes or groups a process creates, or how many it opens
    per open of the file, whichever is more; and whether the program creates more of these than it
    opens. created, opened: names of the H5_META counters."""
    table, files = facts.table("H5_META"), facts.table("H5F")
    if table is None or files is None or not len(h5.files):
        return np.zeros(len(h5.files)), True
    # A replaced attribute is deleted and created again.
    gone = table["ATTR_DELETES"] if created == "ATTR_CREATES" else 0
    new = np.maximum(0, h5.of_files(table, table[created] - gone))
    opens = h5.of_files(table, added([table[name] for name in opened]))
    opens = opens / np.maximum(h5.of_files(files, files["OPENS"]), 1)
    return np.maximum(new, opens), bool(new.sum() >= max(1.0, opens.sum()))


def _datasets(h5: Hdf5, small: np.ndarray) -> _Kind:
    """Returns the number and the time of small datasets. small: mask of the datasets."""
    time = h5.datasets.time((OPEN, READ, WRITE, CLOSE, META))
    return _Kind(
        "datasets",
        h5.per_file(np.where(small, h5.datasets.counts, 0)),
        True,
        h5.per_file(np.where(small, time, 0.0)),
    )


def _groups(facts: Facts, h5: Hdf5) -> _Kind:
    """Returns the number and the time of groups."""
    number, created = _number(facts, h5, "GROUP_CREATES", ("GROUP_OPENS", "OBJECT_OPENS"))
    time = h5.files.time((META,))
    table = facts.table("H5_META")
    # HDF5 looks up groups that other programs created in small pieces, which another rule reports.
    if table is not None and created:
        # LAYERS has the opens of objects of any kind among those of the file.
        opening = joined(h5.files.ids, table, table["F_OBJECT_TIME"])
        time = time + np.minimum(opening, h5.files.time((OPEN,)))
    return _Kind("groups", number, created, time)


def _again(facts: Facts, h5: Hdf5, mask: np.ndarray) -> int:
    """Returns the number of opens of attributes in these files if the same ones were opened again
    and again, otherwise 0: the program created few, and HDF5 read too few bytes for more."""
    table = facts.table("H5_META")
    if table is None:
        return 0
    opens, made = (joined(h5.files.ids, table, table[f"ATTR_{n}"]) for n in ("OPENS", "CREATES"))
    # Reads of the elements of datasets read no attributes.
    asking = tuple(kind for kind in OPERATIONS if kind not in (READ, WRITE))
    read = h5.files.below("BYTES_READ") + h5.per_file(h5.datasets.below("BYTES_READ", asking))
    different = np.maximum(made, read / _HEADER)
    same = mask & (read > 0) & (opens >= _AGAIN * different)
    return int(opens[mask].sum()) if opens[same].sum() > opens[mask].sum() / 2 else 0


def _attributes(facts: Facts, h5: Hdf5) -> _Kind:
    """Returns the number and the time of attributes."""
    number, created = _number(facts, h5, "ATTR_CREATES", ("ATTR_OPENS",))
    # Flushes rewrite the same few attributes.
    flushed = np.isin(h5.files.ids, list(flush_per_chunk.flushed(facts)))
    time = h5.per_file(h5.datasets.time((ATTR,))) + h5.files.time((ATTR,))
    return _Kind("attributes", np.where(flushed, 0.0, number), created, time)


def _of_datasets(facts: Facts, sets: Objects, these: np.ndarray) -> str:
    """Returns text on datasets and their mean size. these: mask of the datasets."""
    # The number of objects in an overflow record is unknown, so the mean size comes from the other
    # records.
    known = these & (sets.ids != ID)
    known = known if known.any() else these
    size = whole_sizes(facts, sets.ids)
    # If the sizes are unknown: each object was at least partly read, and partly written.
    moved = np.maximum(sets["BYTES_ASKED_READ"], sets["BYTES_ASKED_WRITTEN"])
    mean = float(np.where(size > 0, size * sets.counts, moved)[known].sum())
    mean /= int(sets.counts[known].sum())
    return f"{sets.named(these, sets.time())}, of {amount(mean)} each"


def _of_kind(kind: _Kind, mask: np.ndarray) -> str:
    """Returns text on the number of objects of one kind. mask: of the files."""
    number = round(float(kind.number[mask].sum()))
    one = kind.name[:-1]
    return plural(number, one) if kind.created else f"{plural(number, 'open')} of {kind.name}"


def _title(kinds: list[_Kind], mask: np.ndarray) -> str:
    """Returns the title of the finding, by the kinds with most time. mask: of the files."""
    whole = sum(float(kind.time[mask].sum()) for kind in kinds)
    names = [k.name for k in kinds if k.time[mask].sum() >= _PART * whole] or [kinds[0].name]
    if names == ["datasets"]:
        return "The program uses many tiny datasets"
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"Values are stored as {listed} of their own"


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over HDF5 files with many small datasets or attributes, if calls on them
    take much time; otherwise nothing. The time in calls on groups counts, too."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.files):
        return
    files, sets, limits = h5.files, h5.datasets, facts.limits
    small = (sets.asked <= limits["small.bytes"] * sets.counts) & (sets.asked > 0)
    datasets, groups, attributes = _datasets(h5, small), _groups(facts, h5), _attributes(facts, h5)
    number = datasets.number + attributes.number
    # The finding on searches is about the same opens and attributes.
    mask = (number >= limits["objects.many"]) & ~np.isin(files.ids, list(searched(facts)))
    # The time of closing a file counts for its small objects only if they contain most of its
    # bytes.
    part = h5.per_file(np.where(small, sets.asked, 0)) >= h5.per_file(sets.asked) / 2
    spent = datasets.time + groups.time + attributes.time
    spent = spent + np.where(part, files.time((CLOSE,)), 0.0)
    # A library that creates attributes for each dataset does so below its bindings.
    bound = np.where(datasets.number > 0, datasets.number, attributes.number)
    bound = binding(facts, bound + (groups.number if groups.created else 0))
    spent = spent + bound
    lost = np.where(mask, spent * (1 - 1 / np.maximum(number, 1)), 0.0)
    # Call sites have the whole time between the calls. The share of the bindings is an estimate.
    estimated = float(np.where(mask, bound, 0.0).sum())
    more = between(facts, NAME, max(0.0, float(lost.sum()) - estimated))
    more = Between(max(0.0, more.seconds - estimated))
    stake = facts.stake(
        lost.sum(),
        "time in creating, opening, reading, writing and closing these objects, except one"
        f"{more.basis}",
        between=more.seconds,
    )
    if not mask.any() or not facts.worth(stake):
        return
    first = int(np.argmax(lost))
    these = small & h5.in_files(mask)
    kinds = [kind for kind in (datasets, groups, attributes) if kind.number[mask].sum() >= 1]
    kinds.sort(key=lambda kind: -float(kind.time[mask].sum()))
    title, what = _title(kinds, mask), _what(facts, h5, kinds, mask, these, first=first)
    same = _again(facts, h5, mask) if kinds[0].name == "attributes" else 0
    if same:
        title = "The same attributes are read again and again"
        what = (
            f"{plural(same, 'open')} of attributes in {facts.name(int(files.ids[first]))}, of "
            "which few can be different ones"
        )
    writes = _writes(h5, mask) and kinds[0].created
    yield Finding(
        NAME,
        title,
        f"{what}: HDF5 {'creates, looks up and writes' if writes else 'looks up and reads'} a "
        f"header for each. That took {seconds(float(lost.sum()))}{facts.over_all}.{more.sentence}",
        stake=stake,
        evidence=_evidence(facts, h5, mask, these),
        remedy=_ONCE if same else _ARRAY,
        limits=("objects.many", "small.bytes"),
        covers=h5.covers(files=mask),
    )


def _writes(h5: Hdf5, mask: np.ndarray) -> bool:
    """Returns whether the program wrote to datasets or metadata of these files. mask: of the
    files."""
    return bool(h5.datasets["BYTES_ASKED_WRITTEN"][h5.in_files(mask)].sum() > 0) or bool(
        h5.files.below("BYTES_WRITTEN")[mask].sum() > 0
    )


def _what(
    facts: Facts, h5: Hdf5, kinds: list[_Kind], mask: np.ndarray, these: np.ndarray, *, first: int
) -> str:  # fmt: skip
    """Returns text on the objects, the kind with the most time first: "300 datasets like /f.h5:/x,
    of 8 B each, and 300 groups and 600 attributes in /f.h5". mask: of the files; these: of the
    datasets; first: row of the file to name."""
    others = [_of_kind(kind, mask) for kind in kinds if kind.name != "datasets"]
    inside = ""
    if others:
        more = int(mask.sum()) - 1
        inside = f"{' and '.join(others)} in {facts.name(int(h5.files.ids[first]))}"
        inside += f" and {plural(more, 'more file')}" if more else ""
    sets = _of_datasets(facts, h5.datasets, these) if len(others) < len(kinds) else ""
    both = (sets, inside) if kinds[0].name == "datasets" else (inside, sets)
    return ", and ".join(filter(None, both))


def _evidence(
    facts: Facts, h5: Hdf5, mask: np.ndarray, these: np.ndarray
) -> tuple[Evidence, ...]:  # fmt: skip
    """Returns the calls on objects of these files as evidence. mask: of the files. these: mask of
    the datasets."""
    found = h5.datasets.sums(these, "OPEN_CALLS", "WRITE_CALLS", "READ_CALLS", "F_OPEN_TIME")
    found += h5.files.sums(
        mask, "ATTR_CALLS", "META_CALLS", "F_ATTR_TIME", "F_META_TIME", "F_CLOSE_TIME"
    )
    table = facts.table("H5_META")
    if table is not None:
        found += facts.sums(table, "ATTR_CREATES", "GROUP_CREATES", "OBJECT_OPENS")
    return found
