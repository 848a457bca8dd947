"""Values are stored as datasets, groups or attributes of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.files.overflow import ID
from ....measure.layers.attribution import ATTR, CLOSE, META, OPEN, READ, WRITE
from ....units import amount, plural, seconds
from ...accesses.objects import Hdf5, Objects, hdf5
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import binding
from ...reached import needs
from . import flush_per_chunk

NAME = "many-objects"
ROLE = CAUSE
_TOUCHING = ("ATTR_CREATES", "ATTR_OPENS")


def _attributes(facts: Facts, h5: Hdf5) -> np.ndarray:
    """Returns, for each file, how many attributes a process uses on average each time it opens the
    file; zeros if the log does not count them."""
    table, opened = facts.table("H5_META"), facts.table("H5F")
    if table is None or opened is None or not len(h5.files):
        return np.zeros(len(h5.files))
    # A replaced attribute is deleted and created again.
    number = h5.of_files(table, sum(table[n] for n in _TOUCHING) - table["ATTR_DELETES"])
    each: np.ndarray = np.maximum(0, number) / np.maximum(h5.of_files(opened, opened["OPENS"]), 1)
    return each


def _of_datasets(sets: Objects, these: np.ndarray) -> str:
    # The number of objects in an overflow record is unknown, so the mean size is that of the
    # others.
    known = these & (sets.ids != ID)
    known = known if known.any() else these
    moved = float(sets.asked[known].sum()) / int(sets.counts[known].sum())
    return f"{sets.named(these, sets.time())}, of {amount(moved)} each"


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on HDF5 files with many small datasets, groups or attributes."""
    h5 = hdf5(facts)
    if h5 is None or not len(h5.files):
        return
    files, sets, limits = h5.files, h5.datasets, facts.limits
    small = (sets.asked <= limits["small.bytes"] * sets.counts) & (sets.asked > 0)
    number = h5.per_file(np.where(small, sets.counts, 0))
    attributes = _attributes(facts, h5)
    # Flushes rewrite the same few attributes.
    attributes = np.where(np.isin(files.ids, list(flush_per_chunk.flushed(facts))), 0, attributes)
    mask = number + attributes >= limits["objects.many"]
    # The time of closing a file belongs to its small objects only if they hold most of its bytes.
    part = h5.per_file(np.where(small, sets.asked, 0)) >= h5.per_file(sets.asked) / 2
    spent = h5.per_file(np.where(small, sets.time((OPEN, READ, WRITE, CLOSE, META)), 0.0))
    spent = spent + h5.per_file(sets.time((ATTR,))) + files.time((ATTR, META))
    spent = spent + np.where(part, files.time((CLOSE,)), 0.0)
    # A library that creates attributes for each dataset does so below its bindings.
    spent = spent + binding(facts, np.where(number > 0, number, attributes))
    lost = np.where(mask, spent * (1 - 1 / np.maximum(number + attributes, 1)), 0.0)
    stake = facts.stake(
        lost.sum(),
        "time in creating, opening, reading, writing and closing these objects, except one",
    )
    if not mask.any() or not facts.worth(stake):
        return
    first = int(np.argmax(lost))
    these = small & h5.in_files(mask)
    mostly = attributes[mask].sum() > number[mask].sum()
    what = []
    if number[mask].sum():
        what.append(_of_datasets(sets, these))
    if attributes[mask].sum():
        name = facts.name(int(files.ids[first]))
        more = int(mask.sum()) - 1
        what.append(
            f"{plural(int(attributes[mask].sum()), 'attribute')} in {name}"
            + (f" and {plural(more, 'more file')}" if more else "")
        )
    yield Finding(
        NAME,
        "Values are attributes of their own" if mostly else "The program uses many tiny datasets",
        f"{', and '.join(reversed(what) if mostly else what)}: HDF5 creates, looks up and writes a "
        f"header for each. That took {seconds(float(lost.sum()))}{facts.over_all}.",
        stake=stake,
        evidence=sets.sums(these, "OPEN_CALLS", "WRITE_CALLS", "READ_CALLS", "F_OPEN_TIME")
        + files.sums(
            mask, "ATTR_CALLS", "META_CALLS", "F_ATTR_TIME", "F_META_TIME", "F_CLOSE_TIME"
        ),
        remedy=Remedy(
            "Keep values of one kind in one array, in one table (a compound type) or in one array "
            "attribute; store names and numbers of results as columns, not as objects.",
            "H5Dcreate2 of all values, H5Dwrite once\n"
            "Python: file['all'] = array;  create_table\n"
            "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST) where they must stay",
        ),
        limits=("objects.many", "small.bytes"),
        covers=h5.covers(files=mask),
    )
