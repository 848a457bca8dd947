"""Finds, for programs that other programs start, which program a script started for them."""

from __future__ import annotations

import os

from ..measure.processes.processes import Processes
from ..measure.processes.programs import INTERPRETER


def above(known: Processes | None) -> dict[str, str]:
    """Returns, for each program that no script started itself, the program that a script started
    and that then started it, directly or through others: sort, for the gzip of `sort
    --compress-program=gzip`. Leaves out programs of which the processes have different ones. known:
    the processes of the run; None: unknown."""
    found: dict[str, set[str]] = {}
    for place in range(len(known) if known is not None else 0):
        assert known is not None
        name = known.programs[place].name
        found.setdefault(name, set()).add(known.programs[_started(known, place)].name)
    return {
        name: next(iter(others))
        for name, others in found.items()
        if len(others) == 1 and name not in others
    }


def _started(known: Processes, place: int) -> int:
    """Returns the index of the process that a script started, among a process and its ancestors:
    the outermost one below a process with lines of code, without shells that run a command for
    their parent (`sh -c`). place: index of the process."""
    found = place
    while (place := int(known.parents[place])) >= 0 and not _has_lines(known, place):
        found = found if known.programs[place].shell else place
    return found


def _has_lines(known: Processes, place: int) -> bool:
    """Returns whether a process is the first one of the run, or an interpreter with a script. `sh
    -c COMMAND` has no script."""
    if known.parents[place] < 0:
        return True
    program = os.path.basename(known.commands[place].partition(" ")[0])
    return bool(INTERPRETER.fullmatch(program)) and known.programs[place].name != program
