"""Very many small files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...summary.units import amount, count, seconds
from ..facts import Facts, Table
from ..finding import Finding, Remedy

NAME = "many-small-files"


def find(facts: Facts) -> Iterator[Finding]:
    """Counts files of POSIX and STDIO."""
    found: list[tuple[Table, np.ndarray]] = []
    records, more, time, largest = 0, 0, 0.0, 0
    made, making = 0, 0.0  # of those that are written: a start of Python reads a hundred
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
        moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
        # Where a position is shared with other processes, no highest byte is known.
        known = (facts.unplaced(table, "READ") + facts.unplaced(table, "WRITTEN") == 0) & (
            (size > 1) | (moved <= 1)
        )
        mask = known & (moved > 0) & (size <= facts.limits["files.small"])
        if not mask.any():
            continue
        records += int(mask.sum())
        found.append((table, mask))
        more += int((facts.files(table)[mask] - 1).sum())
        time += float(table["F_META_TIME"][mask].sum())
        written = mask & (table["BYTES_WRITTEN"] > 0)
        made += int(written.sum())
        making += float(table["F_META_TIME"][written].sum())
        largest = max(largest, int(size[mask].max()))
    stake = facts.stake(time, "metadata time of these files")
    # A file that is opened in both layers is work in both.
    costly = facts.stake(making, "").share >= facts.limits["files.share"]
    many = costly and made >= facts.limits["files.some"]
    if not (many or records + more >= facts.limits["files.many"]) or not facts.worth(stake):
        return
    # Those of both layers once.
    number = len(frozenset().union(*(t.ids[mask].tolist() for t, mask in found))) + more
    yield Finding(
        NAME,
        "Many small files",
        f"{count(number)} files of at most {amount(largest)} were read or written; opening and "
        f"closing them took {seconds(time)} over all processes.",
        stake=stake,
        evidence=tuple(e for t, _ in found for e in facts.sums(t, "OPENS", "F_META_TIME")),
        remedy=Remedy(
            "Keep them in one container: HDF5, netCDF, SQLite, tar or zip; on a parallel file "
            "system every file costs a round trip to the metadata server.",
            "h5py / zarr with few large chunks;  tar cf data.tar folder, read members from it",
        ),
        limits=("files.many", "files.some", "files.share", "files.small"),
    )
