"""More ranks than processors: a rank that waits in MPI takes the processor from another rank."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import count, plural, seconds, share
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.machine import nodes, outnumbered, processors
from ...reached import needs
from ...times.cpu_wait import used
from ..mpiio import waiting_in_mpiio

NAME = "ranks-outnumber-processors"
ROLE = CAUSE
# Ranks that poll use all of their processor time. If they have less than this share, other programs
# use the processors, and fewer ranks would not help.
_USED = 0.5


@needs("MPI-IO")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if the job has more ranks than processors, by its metadata, and its MPI-IO
    calls wait in MPI for much of the run; otherwise nothing."""
    table = facts.table("MPI-IO")
    if table is None or not outnumbered(facts):
        return
    lost, whole = waiting_in_mpiio.exchanging(facts)
    number = processors(facts)
    if used(facts, number) < _USED:
        return
    # With a processor for each rank, all ranks would run at the same time.
    stake = facts.stake(
        lost * (1 - number / facts.nprocs),
        "time in MPI-IO calls that is neither POSIX calls below nor waiting for one process, "
        "multiplied by the share of ranks without a processor",
    )
    if not facts.worth(stake):
        return
    where = f" on {plural(nodes(facts), 'node')}" if nodes(facts) else ""
    yield Finding(
        NAME,
        "There are more ranks than processors",
        f"{count(facts.nprocs)} ranks share {plural(number, 'processor')}{where}. MPI waits "
        "actively, so a waiting rank uses a processor that a working rank needs: "
        f"of {seconds(whole)} in MPI-IO, {seconds(lost)} ({share(lost, whole)}) went into waiting "
        "and data exchange.",
        stake=stake,
        evidence=facts.sums(table, "COLL_READS", "COLL_WRITES", "F_READ_TIME", "F_WRITE_TIME"),
        remedy=Remedy(
            "Start as many ranks as there are processors, or let waiting ranks yield the "
            "processor.",
            f"mpiexec -n {number};  Open MPI: --mca mpi_yield_when_idle 1",
        ),
        limits=("waiting.mpiio",),
    )
