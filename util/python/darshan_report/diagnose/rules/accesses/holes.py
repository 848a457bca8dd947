"""Holes of sparse files are read, which are zeros that storage does not have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....call_sites.measured import MEDIUM, READ, SHORT
from ....classes import dataclass
from ....units import amount, plural
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table
from ...times.loops import loops_of

NAME = "holes-read"
ROLE = CAUSE
# File systems on which a file that has fewer blocks than its size is sparse. On others, such as
# ZFS, it may be compressed.
_PLAIN = frozenset({"ext2", "ext3", "ext4", "xfs", "tmpfs", "ramfs", "overlay"})
_IN_ORDER = 0.9  # smallest share of the reads that follow the previous one
_WHOLE = 0.9  # smallest share of the bytes up to the last one that each open reads
_REMEDY = Remedy(
    "Ask the file system where the data are, and leave the rest out: it is zeros. A copy or an "
    "archive that keeps the holes is small and quick to read, too.",
    "shell: tar --sparse -czf disk.tgz disk.img  # also -S\n"
    "shell: cp --sparse=always disk.img copy.img;  rsync --sparse\n"
    "C: at = lseek(fd, at, SEEK_DATA);  end = lseek(fd, at, SEEK_HOLE);  // read at..end\n"
    "Python: at = os.lseek(fd, at, os.SEEK_DATA);  end = os.lseek(fd, at, os.SEEK_HOLE)",
)


@dataclass(frozen=True)
class _Sparse:
    """A sparse file that was read: its place in the table, the bytes that storage has of it, the
    bytes of it that were read, and those of holes among these."""

    place: int
    allocated: float
    read: float
    holes: float


def _sparse(facts: Facts, table: Table, extra: Table) -> list[_Sparse]:
    """Returns the files whose holes were read, those with most bytes of holes first."""
    found = []
    sizes, held = extra["SPARSE_SIZE"], extra["SPARSE_ALLOCATED"]
    opens = facts.opens(table)
    for row in np.flatnonzero(sizes > 0).tolist():
        place = table.place(int(extra.ids[row]))
        if place is None or facts.mount_type(int(extra.ids[row])) not in _PLAIN:
            continue
        calls, times = float(table["READS"][place]), max(1.0, float(opens[place]))
        read, end = float(table["BYTES_READ"][place]), float(table["MAX_BYTE_READ"][place]) + 1
        if float(table["CONSEC_READS"][place]) < _IN_ORDER * (calls - times):
            continue  # the program may skip the holes
        if read < _WHOLE * times * end or not facts.single(table)[place]:
            continue
        holes = min(read, times * (end - float(held[row])))  # as if all data lay before `end`
        if holes >= facts.limits["holes.bytes"] and holes >= facts.limits["holes.share"] * read:
            found.append(_Sparse(place, float(held[row]), read, holes))
    return sorted(found, key=lambda one: -one.holes)


def _between(facts: Facts, files: dict[int, float]) -> float:
    """Returns the seconds between reads of these files in which the program worked on zeros, or
    passed them on. files: the share of holes in what was read, by record id."""
    known = loops_of(facts)
    found = 0.0
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        sums = site.sums
        moved = sum(sums.files.moved.values())
        if not sums.calls_of[READ] or not moved:
            continue
        zeros = sum(files.get(one, 0.0) * part for one, part in sums.files.moved.items())
        found += (sums.gaps[SHORT] + sums.gaps[MEDIUM]) * zeros / moved
    return found * known.overlap if known else 0.0


@needs("POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, over all sparse files of which the program read the holes."""
    table, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if table is None or extra is None or not extra.has("SPARSE_SIZE"):
        return
    files = _sparse(facts, table, extra)
    if not files:
        return
    share = {int(table.ids[one.place]): one.holes / one.read for one in files}
    seconds = sum(float(table["F_READ_TIME"][one.place]) * one.holes / one.read for one in files)
    stake = facts.stake(
        seconds,
        "time of reading the holes, and the time between these reads: by the share of the holes in "
        "the bytes",
        sum(one.holes for one in files),
        table.sum("BYTES_READ"),
        between=_between(facts, share),
    )
    if not facts.worth(stake):
        return
    first = files[0]
    others = f"; the same holds for {plural(len(files) - 1, 'more file')}" if files[1:] else ""
    yield Finding(
        NAME,
        "Holes of sparse files are read",
        f"{amount(first.read)} were read of {facts.name(table.ids[first.place])}, which has "
        f"{amount(first.allocated)} on storage{others}. The rest are holes: the file system makes "
        "zeros of them for each read, and the program goes through these zeros.",
        stake=stake,
        evidence=facts.rows(table, first.place, "READS", "BYTES_READ", "F_READ_TIME")
        + facts.rows(extra, extra.place(int(table.ids[first.place])) or 0,
                     "SPARSE_SIZE", "SPARSE_ALLOCATED"),
        remedy=_REMEDY,
        limits=("holes.bytes", "holes.share"),
        covers=frozenset(share),
    )  # fmt: skip
