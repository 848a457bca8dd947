"""All MPI-IO transfers block, and they take much of the time."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import count, seconds, share
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...times.ledger import COMPUTING, ledger

NAME = "blocking-only"
ROLE = REMARK


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a notice if all MPI-IO transfers block and take much of the run; otherwise nothing. A
    notice and not a problem, because the log does not show whether the program has computations
    that could go on during the transfers."""
    upper = facts.table("MPI-IO")
    if upper is None:
        return
    names = ("INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES")
    calls = sum(upper.sum(n) for n in names)
    others = sum(upper.sum(n) for n in ("NB_READS", "NB_WRITES", "SPLIT_READS", "SPLIT_WRITES"))
    time = upper.sum("F_READ_TIME") + upper.sum("F_WRITE_TIME")
    # The program can overlap no more than it computes.
    if facts.table("USAGE") is not None:
        time = min(time, ledger(facts)[COMPUTING])
    stake = facts.stake(time, "time in blocking transfers that computing could overlap")
    # The threshold is twice that of a problem, because this change is more work than most.
    if others or calls < facts.limits["operations"] or not facts.worth(stake):
        return
    if stake.share < 2 * facts.limits["stake.share"]:
        return
    yield Finding(
        NAME,
        "All MPI-IO transfers block",
        f"{count(calls)} MPI-IO transfers took {seconds(time)} "
        f"({share(time, facts.process_time)} of the processes' time); no transfer is non-blocking.",
        NOTICE,
        stake,
        facts.sums(upper, *names, "NB_READS", "NB_WRITES"),
        Remedy(
            "Overlap I/O with computation if the program can compute meanwhile.",
            "MPI_File_iwrite_at_all + MPI_Wait;  HDF5's asynchronous VOL connector",
        ),
        limits=("operations",),
    )
