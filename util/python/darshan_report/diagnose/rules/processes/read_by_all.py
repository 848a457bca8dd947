"""Every process reads a whole file by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....records import among, in_both
from ....units import amount, count, plural, seconds
from ...facts import Facts, leading, once
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...programs import program_text
from ...reached import WAITS, at_most
from ...table import Table
from ...times.loops import between
from . import dataset_read_by_all

NAME = "read-by-all"
ROLE = CAUSE


@once
def whole(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the shared files of which each process has read all bytes that any process
    read. Leaves out program files, because each process must read these."""
    size = table["MAX_BYTE_READ"] + 1
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    many = facts.limits["byall.share"] * size * table.processes
    found: np.ndarray = table.shared & (read >= many) & (read > 0)
    found &= (table["BYTES_WRITTEN"] == 0) & facts.single(table)
    found &= ~program_text.which(facts, table)
    above = facts.table("MPI-IO")
    if above is not None and above is not table:
        # If a view has gaps, MPI-IO also reads the gaps between the pieces that each rank requests.
        here, there = in_both(table.ids, above.ids)
        asked = above["BYTES_READ"][there]
        found[here] &= (asked == 0) | (asked >= facts.limits["byall.share"] * read[here])
    return found


@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all files that every process of a job reads as a whole; nothing if
    there are none."""
    if not facts.together:
        return
    masks, lost, tables = [], [], []
    told = [i for f in facts.found(dataset_read_by_all.find) for i in f.covers]
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        mask = whole(facts, table) & ~among(table.ids, np.array(told, "u8"))
        if not mask.any():
            continue
        # In the remedy, one process reads the file at a good rate, while the others wait for it.
        each = (table["MAX_BYTE_READ"] + 1) * table.processes
        time = table["F_READ_TIME"]
        tables.append(table)
        masks.append(mask)
        lost.append(np.where(mask, facts.lost(time, each, 1), 0.0))
    # Each process also repeats the work on the bytes that all do, such as parsing or decompressing.
    several = 1 - 1 / facts.nprocs
    more = between(facts, NAME, several * _time(tables, masks))
    in_calls = sum(float(each.sum()) for each in lost)
    stake = facts.stake(
        in_calls,
        "time in reading these files, beyond that of one process that reads each of them once at "
        f"a good rate, and of the others that wait for it{more.basis}",
        between=more.seconds,
    )
    # A stream of the C library has records in both tables.
    covers = frozenset(int(i) for t, mask in zip(tables, masks) for i in t.ids[mask])
    number = len(covers)
    if number == 0 or not facts.worth(stake):
        return
    # At a good rate the reads themselves lose no time, so the longest time decides which file is
    # named.
    most = max(range(len(tables)), key=lambda i: _time(tables[i : i + 1], masks[i : i + 1]))
    table = tables[most]
    (first,) = leading(masks[most], table["F_READ_TIME"], 1)
    size, read = int(table["MAX_BYTE_READ"][first]) + 1, int(table["BYTES_READ"][first])
    yield Finding(
        NAME,
        "Every process reads the same file",
        f"{plural(int(table.processes[first]), 'process')} read the {amount(size)} of "
        f"{facts.name(table.ids[first])} independently: {amount(read)} in "
        f"{count(int(table['READS'][first]))} reads"
        + (f"; the same holds for {plural(number - 1, 'more file')}" if number > 1 else "")
        + f". That took {seconds(_time(tables, masks))}{facts.over_all}.{more.sentence}",
        stake=stake,
        evidence=_rows(facts, table, first),
        remedy=_PARSED
        if more.seconds > in_calls
        else Remedy(
            "Let one process read the file once, and send it to the others; or read it with one "
            "collective call. Each process should itself read only the data that no other "
            "process needs.",
            "if (rank == 0) read(fd, all, size);  MPI_Bcast(all, size, MPI_BYTE, 0, comm)\n"
            "MPI_File_read_at_all(file, 0, buffer, size, MPI_BYTE, &status)",
            alone=True,
        ),
        limits=("byall.share",),
        covers=covers,
    )


_PARSED = Remedy(
    "Let one process read and parse the file once, and send the values to the others (MPI_Bcast). "
    "If each process has a processor of its own, let each parse a part of the file, and exchange "
    "the values (MPI_Allgatherv). Or convert the file to binary once.",
    "C: if (rank == 0) n = parse(path, values);  MPI_Bcast(values, n, MPI_DOUBLE, 0, comm)\n"
    "Fortran: if (rank == 0) read(unit, *) x;  call MPI_Bcast(x, size(x), MPI_DOUBLE_PRECISION, 0, "
    "comm, ierr)\n"
    "Python: x = parse(path) if comm.rank == 0 else None;  x = comm.bcast(x)",
    alone=True,
)


def _time(tables: list[Table], masks: list[np.ndarray]) -> float:
    """Returns the seconds in reads of the files. masks: of the files, for each table."""
    return sum(float(t["F_READ_TIME"][mask].sum()) for t, mask in zip(tables, masks))


def _rows(facts: Facts, table: Table, place: int) -> tuple[Evidence, ...]:
    """Returns the reads of a file as evidence. place: row of the file."""
    return facts.rows(
        table, place, "OPENS", "READS", "BYTES_READ", "MAX_BYTE_READ", "F_READ_TIME", "F_META_TIME"
    )
