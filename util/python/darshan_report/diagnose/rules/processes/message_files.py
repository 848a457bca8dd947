"""Ranks exchange values through small files: one rank writes a file, and another reads it soon
after."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....units import amount, count, plural, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import WAITS, at_most
from ...table import Table, added
from ...times.naming import naming_times

NAME = "files-as-messages"
ROLE = CAUSE
_EACH = 2  # most transfers per open
_ONE_SIDED = 0.25  # smallest share of the opens that read, and of those that write


@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for POSIX, and another for STDIO, on small files that some ranks of a job
    write and others read, with one open per transfer; nothing if there are none."""
    if not facts.together:
        return
    for module in ("POSIX", "STDIO"):
        if (table := facts.table(module)) is not None:
            yield from _find(facts, table)


def _messages(facts: Facts, table: Table) -> npt.NDArray[np.bool_]:
    """Returns a mask of the files that several ranks open for one small transfer each time, to
    write or to read."""
    opens, reads, writes = facts.opens(table), table["READS"], table["WRITES"]
    found: npt.NDArray[np.bool_] = table.shared & facts.single(table) & (opens > 0)
    found &= np.minimum(reads, writes) >= _ONE_SIDED * opens
    found &= reads + writes <= _EACH * opens
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    found &= moved <= facts.limits["small.bytes"] * opens
    # All readers together read about as many bytes as were written. A growing log would be read
    # again from its start.
    found &= table["BYTES_READ"] <= table["BYTES_WRITTEN"] * table.processes
    return found


def _find(facts: Facts, table: Table) -> Iterator[Finding]:
    """Yields the finding on the files of one layer by which ranks exchange values."""
    mask = _messages(facts, table)
    opens = facts.opens(table)
    if float(opens[mask].sum()) < facts.limits["operations"]:
        return
    time = added([table["F_META_TIME"], table["F_READ_TIME"], table["F_WRITE_TIME"]])
    stake = facts.stake(
        float(time[mask].sum()), "time in calls on these files, which messages would not need"
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, time, int(mask.sum()))
    reads, writes = int(table["READS"][first]), int(table["WRITES"][first])
    of_one = float(table["BYTES_WRITTEN"][first]) / max(1, writes)
    yield Finding(
        NAME,
        "Ranks exchange values through files",
        f"{facts.name(int(table.ids[first]))} was opened {plural(int(opens[first]), 'time')} by "
        f"{plural(int(table.processes[first]), 'rank')}, {count(writes)} times to write "
        f"{amount(of_one)} and {count(reads)} times to read"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". Calls on them took {seconds(float(time[mask].sum()))}{facts.over_all}, "
        f"{seconds(float(naming_times(facts, table)[mask].sum()))} of that in opens and closes. "
        "Each file is a message from one rank to another.",
        stake=stake,
        evidence=facts.rows(
            table, first, "OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN", "F_META_TIME"
        ),
        remedy=Remedy(
            "Send the values as messages of MPI in place of files. The barriers between writing "
            "and reading are then not needed either.",
            "MPI_Sendrecv(edge, n, MPI_DOUBLE, to, 0, halo, n, MPI_DOUBLE, from, 0, comm, "
            "MPI_STATUS_IGNORE)\n"
            "MPI_Isend and MPI_Irecv, then MPI_Waitall, for several neighbours",
        ),
        limits=("operations", "small.bytes"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
