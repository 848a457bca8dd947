"""The processes of a job use MPI-IO's shared file pointer, so they have to take turns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....records import in_both
from ....units import amount, count, plural, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import WAITS, at_most, needs
from ...table import added

NAME = "shared-pointer"
ROLE = CAUSE
_MOST = 0.5  # smallest share of a file's transfers that must use its shared pointer


@needs("MPI-IO")
@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the files of which most transfers use MPI-IO's shared file pointer;
    nothing if there are none."""
    upper, extra = facts.table("MPI-IO"), facts.table("MPIIO_EXT")
    if upper is None or extra is None or not facts.together:
        return
    at_pointer = np.zeros(len(upper), "i8")
    here, there = in_both(upper.ids, extra.ids)
    at_pointer[here] = (extra["SHARED_READS"] + extra["SHARED_WRITES"])[there]
    ways = [
        f"{how}_{kind}S" for how in ("INDEP", "COLL", "SPLIT", "NB") for kind in ("READ", "WRITE")
    ]
    number = added([upper[name] for name in ways])
    mask = (at_pointer > 0) & (at_pointer >= _MOST * number) & (upper.processes > 1)
    mask &= at_pointer >= facts.limits["collective.calls"] * upper.processes
    if not mask.any():
        return
    moved = upper["BYTES_READ"] + upper["BYTES_WRITTEN"]
    time = upper["F_READ_TIME"] + upper["F_WRITE_TIME"]
    part = at_pointer / np.maximum(number, 1)
    lost = np.where(mask, facts.lost(time * part, moved * part, upper.processes), 0.0)
    stake = facts.stake(
        lost.sum(),
        "time in transfers at the shared file pointer, beyond what their bytes would take at "
        f"{facts.rate_words(int(upper.processes[mask].max()))}",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    calls = int(at_pointer[first])
    row = extra.place(int(upper.ids[first]))
    yield Finding(
        NAME,
        "Processes take turns at a shared file pointer",
        f"{count(calls)} reads and writes of {facts.name(upper.ids[first])} were at the "
        f"position that its {count(int(upper.processes[first]))} processes share "
        "(MPI_File_write_shared, MPI_File_write_ordered and the like), "
        f"{amount(float(moved[first] / max(1, int(number[first]))))} each. They took "
        f"{seconds(float(time[first] * part[first]))}{facts.over_all}: each call waits for its "
        "turn to read and move the position"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else "."),
        stake=stake,
        evidence=facts.rows(
            upper, first, "INDEP_WRITES", "COLL_WRITES", "F_READ_TIME", "F_WRITE_TIME"
        )
        + (facts.rows(extra, row, "SHARED_READS", "SHARED_WRITES") if row is not None else ()),
        remedy=Remedy(
            "Give each process its own place in the file: collect the records of a step, compute "
            "where they begin from the sizes of the lower ranks, and write them at that offset. "
            "Where the order does not matter, reserve a range for each process.",
            "MPI_Exscan(&size, &at, 1, MPI_OFFSET, MPI_SUM, comm);\n"
            "MPI_File_write_at_all(file, at, records, size, MPI_BYTE, MPI_STATUS_IGNORE);",
        ),
        limits=("collective.calls", "rate.good", "rate.job"),
        covers=frozenset(int(i) for i in upper.ids[mask]),
    )
