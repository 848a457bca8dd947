"""A command that works on all of a repository runs again after each change of it: `git gc` after
each commit."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ....measure.processes.processes import Processes
from ....units import amount, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy, Stake
from ...reached import needs
from ...times.process_costs import costs

NAME = "maintained-each"
ROLE = CAUSE
_LEAST = 4  # fewest runs of the command on one repository
# Commands of git that read all of a repository. git itself starts `gc --auto`, which mostly finds
# nothing to do.
_WHOLE = re.compile(r"(?:\S*/)?git(?: -[cC] \S+| --\S+)* (gc|repack|fsck)(?= |$)(?!.* --auto)")
_REPOSITORY = re.compile(r"(.*?/\.git|.*?\.git)/(?:objects|refs|HEAD|config|index)")
_REMEDY = Remedy(
    "Run the command once, after the last change. git starts `gc --auto` itself when a repository "
    "has many loose objects (gc.auto), and then packs only these.",
    "git gc  # once, behind the loop\n"
    "git config gc.auto 6700  # the default: loose objects from which on git packs them itself",
)


def _runs(tree: Processes) -> dict[str, list[int]]:
    """Returns the indices of the processes that run such a command, by its name; without those
    that git itself started."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, command in enumerate(tree.commands):
        parent = int(tree.parents[place])
        by_git = parent >= 0 and tree.programs[parent].name == "git"
        if not by_git and (known := _WHOLE.match(command)):
            found[known[1]].append(place)
    return found


def _below(tree: Processes, place: int) -> np.ndarray:
    """Returns the indices of a process and of all its descendants."""
    found = at = [place]
    while at:
        at = np.flatnonzero(np.isin(tree.parents, at)).tolist()
        found = [*found, *at]
    return np.array(found)


def _repositories(facts: Facts) -> int:
    """Returns how many repositories of git the run used, by the names of its files; at least 1."""
    found = set[str]()
    for module in ("POSIX", "STDIO", "POSIX_EXT"):
        table = facts.table(module)
        for number in () if table is None else table.ids.tolist():
            if known := _REPOSITORY.match(facts.own_name(number)):
                found.add(known[1])
    return max(1, len(found))


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on the command that ran most often on a repository, if all runs but the
    longest one took much of the run; otherwise nothing."""
    tree, known, usage = facts.tree, costs(facts), facts.table("USAGE")
    runs = _runs(tree) if tree is not None else {}
    if tree is None or known is None or usage is None or not runs:
        return
    command, places = max(runs.items(), key=lambda row: len(row[1]))
    number, limits = int(tree.counts[places].sum()), facts.limits
    if number < _LEAST * _repositories(facts):
        return
    below = [_below(tree, place) for place in places]
    each = [known.part * float(known.processor[some].sum()) for some in below]
    spent = sum(each)
    run = min(max(0.0, spent - max(each)), facts.run_time)
    if run < max(limits["stake.seconds"], limits["stake.share"] * facts.run_time):
        return
    every = np.concatenate(below)
    moved = float((tree.read + tree.written)[every].sum())
    yield Finding(
        NAME,
        f"git {command} runs again after each change",
        f"git {command} ran {number:,} times, and worked {seconds(spent)} with the processes that "
        f"it started; they read and wrote {amount(moved)}. Each time it works on all that the "
        "repository holds, not only on what is new.",
        stake=Stake(
            run,
            facts.run_time,
            basis="processor time of all runs of the command but the longest one",
            run=run,
            of_run=facts.run_time,
        ),
        evidence=facts.sums(usage, "F_USER_TIME", "F_SYSTEM_TIME"),
        remedy=_REMEDY,
        limits=("stake.seconds", "stake.share"),
        programs=f"git {command}",
        processes=number,
    )
