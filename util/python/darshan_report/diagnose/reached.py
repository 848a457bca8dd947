"""Selects the rules that can have findings in a log, so that the others need not run.

A rule can declare the modules that it needs (needs) and an upper bound of its saving (at_most).
Most logs of a computing centre lack the modules of many rules, and their I/O time is too short for
the findings of most others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..tables import module_by_name
from .facts import Facts, once
from .finding import Finding

# Upper bounds of savings.
CALLS = "calls"  # the seconds in recorded calls and, with call sites, between them
WAITS = "waits"  # CALLS times the number of ranks: all others may wait for the one with the calls
# Modules whose seconds are not in calls, or repeat those of other modules' calls.
_OTHERS = frozenset(("USAGE", "PROCESS", "SITES", "TRAINING"))
_ROWS = 4096  # records that are read at once; keeps temporary arrays small
_ROUNDING = 1.001

Find = Callable[[Facts], Iterator[Finding]]
_NEEDED: dict[Callable[..., Any], tuple[str, ...]] = {}
_BOUNDS: dict[Callable[..., Any], str] = {}


def needs(*modules: str) -> Callable[[Find], Find]:
    """Decorates a rule's find(), which runs only if the log has at least one of these modules."""

    def declared(find: Find) -> Find:
        _NEEDED[find] = modules
        return find

    return declared


def at_most(bound: str) -> Callable[[Find], Find]:
    """Decorates a rule's find(), which runs only if a saving as large as `bound` (CALLS or WAITS)
    would be worth a finding. The rule's savings are never above it."""

    def declared(find: Find) -> Find:
        _BOUNDS[find] = bound
        return find

    return declared


def reaches(facts: Facts, find: Callable[[Facts], Iterable[Finding]]) -> bool:
    """Returns whether a rule can have a finding in this log. find: the rule's function."""
    needed, bound = _NEEDED.get(find), _BOUNDS.get(find)
    if needed is not None and not any(map(facts.info.region, needed)):
        return False
    return bound is None or may_cost(facts, bound)


@once
def may_cost(facts: Facts, bound: str) -> bool:
    """Returns whether a saving as large as this bound would be worth a finding. bound: CALLS or
    WAITS."""
    # Call sites also have the time between calls, for which the other modules have no bound.
    if facts.info.region("SITES") is not None or facts.process_time <= 0:
        return True
    most = _ROUNDING * recorded(facts) * (facts.nprocs if bound == WAITS else 1)
    return not math.isfinite(most) or facts.worth(facts.stake(most, ""))


@functools.cache
def _durations(name: str) -> tuple[int, ...]:
    """Returns the indices of a module's floating-point counters that are durations of calls; () for
    modules whose counters are not those of files (_OTHERS), or that are unknown."""
    module = module_by_name(name)
    if module is None or not module.fixed or name in _OTHERS:
        return ()
    return tuple(place for place, c in enumerate(module.fcounters) if c.unit == "seconds")


def recorded(facts: Facts) -> float:
    """Returns the sum in seconds of all durations in all records. This is more than the time in
    calls, because one layer's calls contain those of another."""
    whole = 0.0
    for region in facts.info.regions:
        columns = list(_durations(region.name or ""))
        table = facts.table(region.name or "") if columns else None
        if table is None:
            continue
        records = table.records
        for first in range(0, len(records), _ROWS):
            some = records.fcounters[first : first + _ROWS, columns]
            whole += float(some[np.isfinite(some) & (some > 0)].sum())
    return whole
