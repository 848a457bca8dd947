"""Counts the processes of a process tree that read the same file at the same time."""

from __future__ import annotations

from collections import Counter

from ...measure.processes.processes import Processes
from ..facts import Facts
from ..programs.responsible_programs import users
from ..table import Table

UNEVEN = 0.3  # largest standard deviation of the bytes per process, as a share of the mean


def at_once(facts: Facts, tree: Processes, table: Table, record: int) -> float:
    """Returns how many readers of a file live at the same time on average: the processes of the
    program that has most of the readers. Returns 0 if the readers are unknown or fewer than the
    threshold byeach.processes, or if no program has more than half of them. record: id of the file
    in the table."""
    places = users(facts, table, record)
    if not len(places):
        return 0.0
    programs = Counter(tree.programs[place].name for place in places)
    name, number = programs.most_common(1)[0]
    if number < facts.limits["byeach.processes"] or 2 * number <= len(places):
        return 0.0
    same = places[[tree.programs[place].name == name for place in places]]
    span = float(tree.end[same].max() - tree.start[same].min())
    lived = float((tree.end[same] - tree.start[same]).sum())
    return min(max(1.0, lived / span if span > 0 else 1.0), float(number))
