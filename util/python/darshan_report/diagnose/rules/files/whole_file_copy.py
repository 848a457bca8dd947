"""A whole file is copied for a small change to it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ....records import among
from ....units import amount
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table
from .rewritten import edited_ids

NAME = "whole-file-copy"
ROLE = CAUSE
_SAME = 0.05  # tolerance of equal sizes, because the edit may add bytes


@needs("POSIX")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: if one file was read whole, and another file in its folder
    received these bytes with few changes."""
    table = facts.table("POSIX")
    if table is None:
        return
    pair = _pair(facts, table)
    if pair is None:
        return
    edited, copy, copied = pair
    changed = max(1, int(table["BYTES_WRITTEN"][edited]))
    times = copied / max(1, int(table["MAX_BYTE_WRITTEN"][copy]) + 1)
    seconds = float(table["F_READ_TIME"][edited] + facts.time(table)[copy])
    stake = facts.stake(
        seconds,
        "time of reading the file for the copy and of writing the copy",
        copied,
        int(table.sum("BYTES_WRITTEN")),
    )
    yield Finding(
        NAME,
        "A whole file is copied for a small change",
        f"{facts.name(table.ids[edited])} was changed by {amount(changed)}, and "
        f"{amount(copied)} of it were copied to {facts.name(table.ids[copy])} "
        f"({times:.0f} {'copy' if round(times) == 1 else 'copies'}, "
        f"{copied / changed:,.0f} bytes copied for each changed byte): the cost grows "
        "with the size of the file and with the number of copies, not with the change.",
        stake=stake,
        evidence=facts.rows(table, edited, "BYTES_READ", "MAX_BYTE_READ", "BYTES_WRITTEN")
        + facts.rows(table, copy, "BYTES_WRITTEN", "MAX_BYTE_WRITTEN", "F_WRITE_TIME"),
        remedy=Remedy(
            "Keep a backup of only the changed bytes (an undo log), make one copy for all changes "
            "together, or let the file system share the blocks (reflink).",
            "C: ioctl(copy, FICLONE, original)\n"
            "Python: shutil.copyfile(original, copy)  # once for all changes\n"
            "shell: cp --reflink=auto original copy\n"
            "write the old bytes of a range to NAME.undo, fsync, then change them",
        ),
        limits=("copy.factor", "copy.bytes"),
        covers=frozenset((int(table.ids[edited]), int(table.ids[copy]))),
    )


def _pair(facts: Facts, table: Table) -> tuple[int, int, int] | None:
    """Returns the rows of the changed file and of its copy, and the number of copied bytes; None
    without such files."""
    size_read, size_written = table["MAX_BYTE_READ"] + 1, table["MAX_BYTE_WRITTEN"] + 1
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    written = table["BYTES_WRITTEN"]
    single = facts.single(table)
    known = single & (facts.unplaced(table, "WRITTEN") == 0)
    least = facts.limits["copy.bytes"]
    edited = np.flatnonzero(
        single & (written > 0) & (read >= least) & (read >= (1 - _SAME) * size_read)
    )
    known &= (written >= least) & (written >= (1 - _SAME) * size_written)
    if not len(edited) or not known.any():
        return None
    known &= ~among(table.ids, edited_ids(facts))  # the copy takes the place of the file
    copies = np.flatnonzero(known)
    best: tuple[int, int, int] | None = None
    order = copies[np.argsort(size_written[copies], kind="stable")]
    sizes = size_written[order]
    first = edited[np.argsort(-read[edited], kind="stable")][:64]
    low = np.searchsorted(sizes, (1 - _SAME) * size_read[first])
    high = np.searchsorted(sizes, (1 + _SAME) * size_read[first], side="right")
    rows = (first, low, high, written[first], read[first])
    for one, begin, end, changed, whole in zip(*(row.tolist() for row in rows)):
        enough = facts.limits["copy.factor"] * changed
        if begin == end or whole < enough:
            continue
        others = order[begin:end][:64]
        for other, copied in zip(others.tolist(), np.minimum(written[others], whole).tolist()):
            if other == one or copied < enough or (best is not None and copied <= best[2]):
                continue
            if _beside(facts, table, one, other):
                best = (one, other, copied)
    return best


def _beside(facts: Facts, table: Table, one: int, other: int) -> bool:
    """Returns whether two files are in one folder. one, other: their rows."""
    names = [facts.name(table.ids[p]) for p in (one, other)]
    return os.path.dirname(names[0]) == os.path.dirname(names[1])
