"""A program goes through all datasets of a file for each search, and opens each of them again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.layers.attribution import ATTR, CLOSE, META, OPEN, READ
from ....units import count, plural, seconds
from ...accesses.objects import Hdf5, hdf5, whole_sizes
from ...facts import Facts, once
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from ...times.loops import between

NAME = "objects-searched"
ROLE = CAUSE
_USED = 0.2  # reads per open of a dataset, below which most opens are for something else
_INDEX = Remedy(
    "Go through the objects once before the loop, keep what the searches need of each (names and "
    "attributes) in memory as an index, and open only the objects that are found. For the next "
    "program, store these values as one array or table in the file.",
    "Python: index = {data.attrs['id']: name for name, data in group.items()}  # once\n"
    "Python: data = group[index[wanted]]  # for each search\n"
    "C: H5Literate2, H5Aread once into an array;  H5Dopen2(file, names[place], H5P_DEFAULT)\n"
    'Julia: index = Dict(read_attribute(set, "id") => name for (name, set) in pairs(group))',
    alone=True,
)


def _mask(facts: Facts, h5: Hdf5, number: np.ndarray, opens: np.ndarray) -> np.ndarray:
    """Returns a mask of the files of which many datasets are opened again, and not for new data:
    few opens are followed by a read, or the same small values are read again. number, opens:
    datasets and their opens, per file."""
    sets, limits = h5.datasets, facts.limits
    again = opens - number
    mask = (number >= limits["objects.many"]) & (opens >= limits["again.factor"] * number)
    mask &= again >= limits["operations"]
    mask &= h5.per_file(sets["WRITE_CALLS"]) == 0
    whole, asked = whole_sizes(facts, sets.ids) * sets.counts, sets["BYTES_ASKED_READ"]
    known = (whole > 0) & (asked > 0)
    values = h5.per_file(np.where(known, whole * sets.processes, 0))
    same = h5.per_file(np.where(known, asked, 0)) >= limits["again.factor"] * np.maximum(values, 1)
    same &= h5.per_file(asked) <= limits["small.bytes"] * opens
    few = h5.per_file(sets["READ_CALLS"]) <= _USED * opens
    found: np.ndarray = mask & (few | same)
    return found


@once
def searched(facts: Facts) -> frozenset[int]:
    """Returns the ids of the files of which a program opens all datasets again for each search;
    empty without records of HDF5."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.files) or not len(h5.datasets):
        return frozenset()
    number, opens = _counts(h5)
    return frozenset(h5.files.ids[_mask(facts, h5, number, opens)].tolist())


def _counts(h5: Hdf5) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each file, how many of its datasets were opened, and their opens; both are
    summed over the processes."""
    sets = h5.datasets
    used = sets["OPEN_CALLS"] > 0
    return (
        h5.per_file(np.where(used, sets.counts * sets.processes, 0)),
        h5.per_file(sets["OPEN_CALLS"]),
    )


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the files of which a program opens all datasets again for each
    search; nothing if there are none."""
    h5, some = hdf5(facts), searched(facts)
    if h5 is None or not some:
        return
    mask = np.isin(h5.files.ids, list(some))
    number, opens = _counts(h5)
    sets, files = h5.datasets, h5.files
    time = h5.per_file(sets.time((OPEN, CLOSE, ATTR, META, READ))) + files.time((CLOSE, ATTR, META))
    part = np.where(mask, 1 - number / np.maximum(opens, 1), 0.0)
    lost = time * part
    more = between(facts, NAME, float(lost.sum()))
    if more.seconds <= 0:  # call sites have measured the time of the bindings
        lost = lost + binding(facts, opens) * part
    spent = float(lost.sum())
    stake = facts.stake(
        spent,
        "time in opening, asking and closing these datasets, multiplied by the share of opens that "
        f"are not the first{more.basis}",
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    first, others = int(np.argmax(lost)), int(mask.sum()) - 1
    inside = h5.in_files(mask)
    reads = int(sets["READ_CALLS"][inside].sum())
    yield Finding(
        NAME,
        "All datasets of a file are opened again for each search",
        f"{count(float(number[first]))} datasets of {facts.name(int(files.ids[first]))} were "
        f"opened {count(float(opens[first]))} times, each {opens[first] / number[first]:.1f} times "
        f"on average, {'for ' + plural(reads, 'read') if reads else 'and never read'}"
        + (f"; the same holds for {plural(others, 'more file')}" if others else "")
        + f". That took {seconds(spent)}{facts.over_all}.{more.sentence}",
        stake=stake,
        evidence=sets.sums(inside, "OPEN_CALLS", "READ_CALLS", "F_OPEN_TIME")
        + files.sums(mask, "ATTR_CALLS", "META_CALLS", "F_ATTR_TIME", "F_META_TIME"),
        remedy=_INDEX,
        limits=("objects.many", "again.factor", "operations", "small.bytes", "python.seconds"),
        covers=h5.covers(files=mask),
    )
