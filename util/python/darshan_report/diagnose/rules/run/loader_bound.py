"""A training in PyTorch waits for its DataLoader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....measure.training import MODULE
from ...facts import Facts
from ...finding import NOTICE, PROBLEM, SYMPTOM, Evidence, Finding, Remedy, Stake
from ...reached import needs
from ...training.loading import MAIN, MEMORY, NOTHING, Verdict, remedy, verdicts
from ...training.per_sample import per_sample
from ..processes import read_by_each_worker

NAME = "loader-bound-training"
ROLE = SYMPTOM


def _stake(facts: Facts, verdict: Verdict) -> Stake:
    """Returns the potential saving if the loop need not wait for data. The steps of a process wait
    for data, so each second of waiting makes the run a second longer. If there are several ranks,
    only the wait of the slowest rank counts, because the others wait for it. verdict: why the loop
    waits, and how long."""
    basis = "waits in iter() and next() of the DataLoader that faster loading would avoid"
    each = verdict.saved * verdict.loader.part_of_run
    return replace(
        facts.stake(0.0, basis, between=verdict.saved),
        run=min(each, facts.run_time),
        of_run=facts.run_time,
        idle=False,
        crowded=False,
    )


def _evidence(verdict: Verdict) -> tuple[Evidence, ...]:
    """Returns the times and the counts of a loop as evidence."""
    loader = verdict.loader
    sums = loader.sums
    values = {
        "F_EPOCH_TIME": sums.whole,
        "F_ITER_TIME": sums.iter,
        "F_NEXT_TIME": sums.next,
        "F_FIRST_TIME": sums.first,
        "STEPS": sums.steps,
        "WORKERS": -1 if loader.workers is None else loader.workers,
    }
    return tuple(
        Evidence(MODULE, loader.name, f"{MODULE}_{name}", value, loader.id)
        for name, value in values.items()
    )


def _is_cause(finding: Finding, verdict: Verdict, stake: Stake) -> bool:
    """Returns whether another finding is about the same loop and explains at least half of its
    waits. verdict: why the loop waits, and how long; stake: the potential saving without these
    waits."""
    ids = {e.id for e in finding.evidence if e.module == MODULE}
    return verdict.loader.id in ids and 2 * finding.stake.run >= stake.run


@needs("TRAINING")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for each loop over a DataLoader that waits for data for longer than noise
    explains; nothing for loops whose waits another finding explains."""
    told = facts.found(read_by_each_worker.find)
    for verdict in verdicts(facts):
        stake = _stake(facts, verdict)
        if any(_is_cause(finding, verdict, stake) for finding in told):
            continue
        least = max(facts.limits["stake.seconds"], facts.limits["stake.share"] * facts.run_time)
        if verdict.why == NOTHING or stake.run < least:
            continue
        text, example = remedy(verdict)
        work = per_sample(facts, verdict)
        loop = f"the training loop of {verdict.loader.line}" if verdict.loader.line else ""
        if work is not None:  # if the process has no workers, adding workers helps as well
            alone = verdict.why == MAIN
            text = f"{work.remedy.text} {text}" if alone else work.remedy.text
            example = f"{work.remedy.example}\n{example}" if alone else work.remedy.example
        yield Finding(
            NAME,
            "The training waits for its data",
            " ".join(filter(None, (verdict.sentence, work.sentence if work else ""))),
            stake=stake,
            evidence=_evidence(verdict),
            remedy=Remedy(text, example),
            limits=("training.wait",),
            kind=NOTICE if verdict.why == MEMORY else PROBLEM,
            at=(work.line if work else "") or loop,
        )
