"""A file per process, with so many processes that creating and closing the files takes much
time."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most
from ...times.naming import naming_times

NAME = "file-per-process"
ROLE = CAUSE


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if many processes of a job wrote at least one file each that no other
    process used: on files of POSIX calls or, if there are too few, of STDIO calls. Yields nothing
    otherwise."""
    if not facts.together or facts.nprocs < facts.limits["perprocess.processes"]:
        return
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        own = (~table.shared) & (table["BYTES_WRITTEN"] > 0)
        number = int(own.sum())
        if number < facts.nprocs:
            continue
        time = float(naming_times(facts, table)[own].sum())
        stake = facts.stake(time, "metadata time of these files")
        if not facts.worth(stake):
            continue
        yield Finding(
            NAME,
            "Every process writes a file of its own",
            f"{count(facts.nprocs)} processes wrote {count(number)} files of their own; creating "
            f"and closing them took {seconds(time)}{facts.over_all}.",
            stake=stake,
            evidence=facts.sums(table, "OPENS", "BYTES_WRITTEN", "F_META_TIME"),
            remedy=Remedy(
                "Write one shared file collectively, or a file per node or per group of "
                "processes (subfiling).",
                "H5Pset_fapl_subfiling;  MPI_Comm_split, then one file per group",
            ),
            limits=("perprocess.processes",),
        )
        return
