"""Adds waits to findings about one rank for which the other ranks wait: each waiting rank loses the
time that the one rank loses in its calls. A finding that explains why a rank is slow replaces a
finding that only says that the ranks differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...measure.processes.ranks import sums_by_rank
from ...records import among
from ..facts import Facts
from ..finding import PROBLEM, Finding
from ..limits import Limits
from ..rules.processes import imbalance, one_process
from . import waits

# Start of the names of findings that only say that one rank has more to do.
_GENERAL = (imbalance.NAME, one_process.NAME)
_MOSTLY = 0.8  # share of the time in a finding's files that one rank must have
_EXPLAINED = 0.5  # share of a general finding's time that another finding needs to replace it
_SHARES = ("stake.share", "stake.seconds", "stake.large")


def _is_general(finding: Finding) -> bool:
    return finding.name.startswith(_GENERAL)


def told(
    facts: Facts, found: Sequence[Finding], find: Callable[[Facts], list[Finding]]
) -> list[Finding]:
    """Returns the findings of an MPI job after the waits of other ranks were added to findings
    about one rank, and without general findings ("one rank has more to do") that these explain.
    Returns all of them unchanged if the run is no MPI job. find: runs the rules again with
    thresholds for a single rank, because in a job of a thousand ranks the calls of one rank are
    little."""
    if not facts.together:
        return list(found)
    during = waits.during(facts)
    general = [f for f in found if f.kind == PROBLEM and _is_general(f)]
    # The other ranks wait at most for the time that a general finding has. This bound is better if
    # waiting ranks, which poll, lose their processors: MPI's wait then consists of many pieces.
    most = max([during.of_rank if during else 0.0, *(f.stake.run for f in general)])
    if not general and (during is None or not facts.worth(facts.stake(most * facts.nprocs, ""))):
        return list(found)
    of_one = Limits(dict(facts.limits) | {n: facts.limits[n] / facts.nprocs for n in _SHARES})
    alone = find(Facts(facts.log, of_one, facts.processes))
    others = [f for f in alone if f.kind == PROBLEM and not _is_general(f)]
    awaited = (_with_waits(facts, finding, most) for finding in others)
    said = [f for f in awaited if f is not None and facts.worth(f.stake)]
    explained = max((f.stake.run for f in said), default=0.0)
    kept = [f for f in found if f not in general or f.stake.run * _EXPLAINED > explained]
    known = {(f.name, f.covers) for f in said}
    return [f for f in kept if (f.name, f.covers) not in known] + said


def _with_waits(facts: Facts, finding: Finding, most: float) -> Finding | None:
    """Returns a finding about the files of one rank, with the time of the waiting ranks added; None
    if it is about several ranks, or if nothing is at stake. most: upper bound of the wait of each
    rank, in seconds."""
    at, lost = finding.stake, finding.stake.seconds
    if lost <= 0 or not _of_one(facts, finding.covers):
        return None
    waited = min(lost, most) * (facts.nprocs - 1)
    known = waits.during(facts) is not None
    stake = facts.stake(
        lost - at.between + waited,
        f"{at.basis}; and the time that the other ranks {'' if known else 'may '}wait meanwhile",
        at.bytes,
        at.of_bytes,
        between=at.between,
    )
    return replace(finding, stake=stake)


def _of_one(facts: Facts, files: frozenset[int]) -> bool:
    """Returns whether at least 80 % of the time in these files is that of one rank that does its
    own I/O. files: record ids. False if collective calls used one of them, because there a few
    ranks do the POSIX calls for the others, as intended."""
    ids = np.fromiter(files, "u8", len(files))
    ranks, spent, rest = [], [], 0.0
    for layer, table in facts.layers:
        if not layer.base:
            continue
        some = among(table.records.ids, ids)
        if among(table.records.ids[some], one_process.collective_files(facts, table)).any():
            return False
        of, time = table.records.ranks[some].copy(), waits.seconds_of(table)[some]
        if table.records.module.has(f"{table.prefix}_SLOWEST_RANK"):
            slowest = table.records[f"{table.prefix}_SLOWEST_RANK"][some]
            longest = table.seconds_or_bytes("F_SLOWEST_RANK_TIME")[some]
            shared = of < 0
            rest += float(np.maximum(0.0, time - longest)[shared].sum())
            time = np.where(shared, np.minimum(longest, time), time)
            of[shared] = slowest[shared]
        ranks.append(of)
        spent.append(time)
    if not ranks or not sum(map(len, ranks)):
        return False
    _, (sums,) = sums_by_rank(np.concatenate(ranks), np.concatenate(spent))
    return float(sums.max()) >= _MOSTLY * (float(sums.sum()) + rest) > 0
