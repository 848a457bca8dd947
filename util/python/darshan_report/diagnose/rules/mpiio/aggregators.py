"""The processes that do the file I/O of collective calls (aggregators) are fewer than the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.traces.heat import traffic_by_rank
from ....units import count, plural, seconds
from ...accesses import collective
from ...facts import Facts
from ...finding import REMARK, Finding, Remedy

NAME = "aggregators"
ROLE = REMARK


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if a job on several nodes has fewer aggregators than nodes, and collective
    calls take time; otherwise nothing."""
    upper = facts.table("MPI-IO")
    nodes = dict(facts.info.metadata).get("nodes", "")
    if upper is None or not facts.together or not nodes.isdigit() or int(nodes) < 2:
        return
    by_all = collective.calls(upper)
    alone = upper.sum("INDEP_READS") + upper.sum("INDEP_WRITES")
    if by_all.sum() <= alone:
        return
    lower = facts.table("POSIX")
    below = lower.sum("F_READ_TIME") + lower.sum("F_WRITE_TIME") if lower is not None else 0.0
    moved = traffic_by_rank(facts.log, "heatmap:POSIX", facts.nprocs)
    busy = sum(1 for both in moved.values() if both > 0)
    if busy == 0 or busy >= int(nodes):
        return
    time = float(collective.time(upper).sum())
    # More aggregators help only if the processes wait for the file system.
    if below * facts.nprocs < facts.limits["imbalance.share"] * time * busy:
        return
    stake = facts.stake(
        time * (1 - busy / int(nodes)), "time in MPI-IO transfers, if all nodes took part"
    )
    if not facts.worth(stake):
        return
    met = float(collective.met(upper).sum())
    yield Finding(
        NAME,
        "Collective calls use only some of the nodes",
        f"{plural(busy, 'process')} did the POSIX I/O of {count(met)} collective calls, "
        f"in a job of {nodes} nodes; the calls took {seconds(time)}{facts.over_all}.",
        stake=stake,
        evidence=facts.sums(upper, "COLL_READS", "COLL_WRITES", "F_READ_TIME", "F_WRITE_TIME"),
        remedy=Remedy(
            "Let at least one process per node write: use more aggregators and more stripes.",
            f'MPI_Info_set(info, "cb_nodes", "{nodes}");  lfs setstripe -c {nodes} folder',
        ),
        limits=("collective.share", "imbalance.share"),
        covers=frozenset(upper.ids[by_all > 0].tolist()),
    )
