"""A process is started for each file, by a loop of a shell, find -exec or xargs -n 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...measure.processes import Processes
from ...units import count, seconds
from ..facts import Facts
from ..finding import CAUSE, Finding, Remedy
from ..language import of_program

NAME = "process-each"
ROLE = CAUSE
_EARLY = 25  # percent of the processes that lived the shortest: they did little but start
_INTERPRETER = 10  # times as long as a compiled program an interpreter may take to start


@dataclass(frozen=True)
class _Each:
    """Processes of one program that another program starts."""

    program: str
    starter: int  # index of the process that starts them
    number: int
    files: int
    start: float  # seconds that each took to start
    ids: frozenset[int]

    @property
    def seconds(self) -> float:
        """Seconds of all starts but one."""
        return self.start * (self.number - 1)


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if a program starts a process for each file, such as a loop of a shell; it
    names the program whose starts cost the most."""
    tree = facts.tree
    if tree is None:
        return
    groups = _groups(tree).items()
    each = (_of(facts, tree, program, starter, places) for (starter, program), places in groups)
    found = sorted((one for one in each if one), key=lambda one: -one.seconds)
    beside = [*_beside(facts, tree, found)]
    stake = facts.stake(
        sum(one.seconds for one in [*found, *beside]),
        "start times of all these processes except one; a start is taken to last as long as the "
        f"fastest quarter of the processes, at most {seconds(facts.limits['each.start'])}, or "
        f"{_INTERPRETER} times that for an interpreter",
    )
    if not found or not facts.worth(stake):
        return
    first = found[0]
    starter = tree.programs[first.starter]
    how, cure = _pattern(starter.name, first.program, shell=starter.shell)
    more = "; ".join(f"{one.program} for {count(one.files)} files" for one in found[1:4])
    names = ", ".join(f"{one.program} ({count(one.number)} times)" for one in beside[:3])
    table = facts.table("PROCESS")
    yield Finding(
        NAME,
        "A process is started for each file",
        f"{how} started {first.program} {count(first.number)} times, one process per file: "
        f"{count(first.number)} processes for {count(first.files)} files"
        + (f"; likewise {more}" if more else "")
        + (f"; together with {names}" if names else "")
        + f". Starting one process took about {seconds(first.start)}, starting all of them "
        f"{seconds(stake.seconds)}; their work on the files is not included.",
        stake=stake,
        programs=f"{first.program} \u00d7 {count(first.number)}",
        evidence=facts.sums(table, "COUNT", "OPENS", "BYTES_READ") if table is not None else (),
        remedy=Remedy(
            f"Give many files to one process of {first.program}: it starts once, and does the "
            "same for each file. If the program takes only one file, use a program that processes "
            "all files (awk, or a script that opens them one after the other).",
            cure,
        ),
        limits=("each.processes", "each.files", "each.start", "files.small"),
        covers=frozenset().union(*(one.ids for one in found)),
    )


def _groups(tree: Processes) -> dict[tuple[int, str], list[int]]:
    """Returns the indices of processes by the process that started them, past subshells, and by
    their program."""
    found: dict[tuple[int, str], list[int]] = {}
    for place, program in enumerate(tree.programs):
        if program.worker or program.job_ranks or tree.unseen[place] or tree.parents[place] < 0:
            continue
        starter = int(tree.parents[place])
        while tree.programs[starter].worker and tree.parents[starter] >= 0:
            starter = int(tree.parents[starter])
        found.setdefault((starter, program.name), []).append(place)
    return found


def _of(
    facts: Facts, tree: Processes, program: str, starter: int, places: list[int]
) -> _Each | None:
    """Returns the processes of one program that `starter` started, if they are a pattern: many,
    each with files of its own. Otherwise returns None."""
    at = np.array(places)
    number = int(tree.counts[at].sum())
    if number < facts.limits["each.processes"]:
        return None
    if (tree.read[at] + tree.written[at]).sum() > facts.limits["files.small"] * number:
        return None
    ids = _files(facts, tree, at)
    if not number / 2 <= len(ids) <= facts.limits["each.files"] * number:
        return None
    start = _start(facts, tree, at)
    return _Each(program, starter, number, len(ids), start, frozenset(ids))


def _start(facts: Facts, tree: Processes, at: npt.NDArray[np.int64]) -> float:
    """Returns the seconds that each of these processes took to start."""
    longest = facts.limits["each.start"]
    if of_program(tree.commands[int(at[0])].partition(" ")[0]) not in ("", "shell"):
        longest *= _INTERPRETER
    lives = tree.lives[at] / tree.counts[at]
    return min(float(np.percentile(lives, _EARLY)), longest)


def _beside(facts: Facts, tree: Processes, found: list[_Each]) -> Iterator[_Each]:
    """Yields the programs that the same loops start about as often, without files of their own:
    they take a file's bytes from a pipe, or make its name."""
    named = {(one.starter, one.program) for one in found}
    for (starter, program), places in _groups(tree).items():
        at = np.array(places)
        number = int(tree.counts[at].sum())
        loops = (one.number for one in found if one.starter == starter)
        if (starter, program) in named or not any(n / 2 <= number <= 2 * n for n in loops):
            continue
        if (tree.read[at] + tree.written[at]).sum() <= facts.limits["files.small"] * number:
            yield _Each(program, starter, number, 0, _start(facts, tree, at), frozenset())


def _files(facts: Facts, tree: Processes, at: npt.NDArray[np.int64]) -> set[int]:
    """Returns the ids of the records that each of these processes has alone."""
    ranks, found = tree.ranks[at], set[int]()
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is not None:
            found |= set(table.records.ids[np.isin(table.records.ranks, ranks)].tolist())
    return found


def _pattern(starter: str, program: str, *, shell: bool) -> tuple[str, str]:
    """Returns how the processes are started, and the command for many files."""
    if starter == "find":
        return "find -exec", f"find folder -name '*.txt' -exec {program} {{}} +  # not \\;"
    if starter == "xargs":
        return "xargs", f"xargs {program}  # without -n 1, -L 1 and -I"
    if starter == "parallel":
        return "parallel", f"parallel -X {program}  # many files for each process"
    if shell:
        return (
            f"A loop in {starter}",
            f"{program} folder/*.txt  # once, not in a loop\n"
            f"find folder -name '*.txt' -print0 | xargs -0 {program}  # if there are too many",
        )
    return starter, f"{program} FILE1 FILE2 ...  # once for all files"
