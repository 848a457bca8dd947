"""The stakes of findings about the calls of one rank of an MPI job, for which the other ranks wait.
The whole job saves the time that this rank saves. Other stakes are divided by the number of
ranks."""

from __future__ import annotations

from dataclasses import replace

from ...call_sites.lines import Line
from ...units import seconds
from ..blame import about_of, part_of
from ..facts import Facts
from ..finding import Finding
from .loops import loops_of
from .waits import waiting

_WAITED = 0.5  # smallest part of the stake that the others must have waited longer than this rank


def _rank(facts: Facts, finding: Finding) -> int | None:
    """Returns the rank that made all calls of a finding; None if there are several, if the call
    sites do not tell, or if the log has none."""
    known, about = loops_of(facts), about_of(finding.name)
    if known is None or about is None:
        return None
    ranks = set[int]()
    for site in (site for loop in known.groups for site in loop.sites):
        if part_of(Line([site], site.sums), about) <= 0:
            continue
        if not site.sums.ranks:
            return None
        ranks.update(site.sums.ranks)
    return ranks.pop() if len(ranks) == 1 else None


def _waited_longer(facts: Facts, rank: int) -> float:
    """Returns by how many seconds each of the other ranks waited longer in MPI than this one, on
    average; 0 if the log does not tell."""
    known = waiting(facts)
    if known is None or rank not in known.ranks or len(known.ranks) < 2:
        return 0.0
    own = float(known.by_rank[known.ranks == rank].sum())
    return (known.seconds - own) / (len(known.ranks) - 1) - own


def scaled(facts: Facts, finding: Finding) -> Finding:
    """Returns the finding. If only one rank made its calls, while the others waited for it in MPI,
    its stake is the time of this rank, at most the time of the run."""
    stake = finding.stake
    if facts.tree is not None or facts.nprocs < 2 or stake.seconds <= 0:
        return finding
    rank = _rank(facts, finding)
    if rank is None or _waited_longer(facts, rank) < _WAITED * stake.seconds:
        return finding
    run = min(stake.seconds, stake.of_run)
    if run <= stake.run:
        return finding
    sentence = (
        f"{finding.sentence} Rank {rank} made all of these calls, and the others waited for it: "
        f"the run may save up to {seconds(run)}."
    )
    return replace(finding, sentence=sentence, stake=replace(stake, run=run))
