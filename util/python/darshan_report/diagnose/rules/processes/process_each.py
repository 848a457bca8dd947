"""A loop of a shell, find -exec, xargs -n 1 or Python's subprocess starts a process for each file
or item."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from ....classes import dataclass
from ....measure.processes.processes import Processes
from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy, Stake
from ...programs.importing import imports_of
from ...remedies.instead_of_process import for_files, for_items, for_scripts, how
from ...times.process_costs import (
    Places,
    costs,
    of_work,
    processor_time,
    start_time,
    starter_of,
    starting,
)
from . import repeated_by_processes

NAME = "process-each"
ROLE = CAUSE
# Programs that build software from sources, which start a process for each file by design.
_BUILDERS = frozenset(("configure", "config.status", "libtool", "ninja", "cmake", "cargo"))
# Programs that take one file at a time, and whose work usually takes longer than their start.
_COMPILERS = frozenset(
    ("gcc", "g++", "cc", "c++", "clang", "clang++", "cc1", "cc1plus", "as", "ld", "collect2", "ar",
     "f951", "gfortran", "rustc", "javac", "nvcc", "mpicc", "mpicxx", "mpifort", "libtool")
)  # fmt: skip
# Programs that start what their rules require.
_RULES = frozenset(("make", "snakemake", "nextflow"))
_IMPORTS = 0.5  # smallest share of starts and imports in the work of a few processes
_STARTS = 0.25  # smallest share of starts in the work of processes without files
# Share of the costliest starts from which on a program with files of its own comes first.
_PART = 0.5


@dataclass(frozen=True)
class _Each:
    """The processes of one program that one other process starts, such as a shell with a loop:
    their number, files and bytes, and the seconds that each took to start."""

    program: str
    starter: int  # index of the process that starts them
    number: int
    files: int  # files that only one of them uses; 0 if fewer than one per two processes
    moved: int  # bytes on files
    start: float  # seconds that each process took to start
    at: Places  # indices of the processes
    ids: frozenset[int] = frozenset()
    imports: float = 0.0  # part of `start` in imports

    @property
    def seconds(self) -> float:
        """Seconds that all starts but one took, which one process for all items would save."""
        return self.start * (self.number - 1)


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if a program, such as a loop of a shell, starts a process for each file or
    item: on the program whose starts cost the most. Otherwise yields nothing."""
    tree = facts.tree
    if tree is None:
        return
    each = (_of(facts, tree, *group) for group in _groups(facts, tree))
    found = sorted((one for one in each if one), key=lambda one: -one.seconds)
    if not found:
        return
    most = found[0].seconds
    found.sort(key=lambda one: not one.files or one.seconds < _PART * most)
    subshells = [*_subshells(facts, tree, found)]
    direct = {int(tree.parents[place]) for one in found for place in one.at}
    spent = sum(one.seconds for one in [*found, *subshells]) + starting(facts, tree, direct)
    # A finding on processes with files of their own also explains the time in calls on these files.
    of_files = sum(one.seconds for one in found if one.files)
    basis = _basis(facts) + (", with its imports" if any(one.imports for one in found) else "")
    stake = of_work(facts, facts.stake(of_files, basis, between=spent - of_files))
    if facts.worth(stake):
        yield _finding(facts, tree, found, subshells, stake)


def _basis(facts: Facts) -> str:
    """Returns the words that say how the potential saving was computed."""
    longest = facts.limits["each.start"]
    if costs(facts) is None:
        return (
            "start times of all these processes except one; a start is taken to last as long as "
            f"the fastest quarter of the processes, at most {seconds(longest)}, or 10 times that "
            "for an interpreter"
        )
    return (
        "processor time of all these starts except one, and of starting them, with the waits for "
        "a processor in it; a start is taken to cost what the quickest quarter of the processes "
        f"cost as a whole, or, if that is above {seconds(facts.limits['each.processor'])} (100 ms "
        "for an interpreter), what a start of the run's quickest program costs"
    )


def _finding(
    facts: Facts, tree: Processes, found: Sequence[_Each], subshells: Sequence[_Each], stake: Stake
) -> Finding:
    """Returns the finding. found: the started programs, the costliest first. subshells: those that
    the same loops start."""
    first = found[0]
    starter, command = tree.programs[first.starter], tree.commands[first.starter]
    likewise = "; ".join(
        f"{one.program} for {count(one.files)} files" for one in found[1:4] if one.files
    )
    beside = [one for one in [*found[1:4], *subshells] if not one.files]
    names = ", ".join(f"{one.program} ({count(one.number)} times)" for one in beside)
    each = processor_time(facts, tree, first.at)
    table = facts.table("PROCESS")
    if first.files:
        title = "A process is started for each file"
        what = (
            f", one process per file: {count(first.number)} processes for {count(first.files)} "
            "files"
        )
        words = (
            f"Give many files to one process of {first.program}: it starts once, and does the "
            "same for each file. If the program takes only one file, use a program that processes "
            "all files (awk, or a script that opens them one after the other)."
        )
        example = for_files(starter.name, first.program, shell=starter.shell)
    else:
        title = "A process is started for each item"
        moved = amount(first.moved / first.number) if first.moved else "no byte"
        what = f", one process per item: each moved {moved} on files"
        words, example = for_items(starter.name, command, first.program, shell=starter.shell)
    if first.imports:
        words, example = for_scripts(first.program)
    return Finding(
        NAME,
        title,
        f"{how(starter.name, shell=starter.shell)} started {first.program} "
        f"{count(first.number)} times{what}"
        + (f"; likewise {likewise}" if likewise else "")
        + (f"; together with {names}" if names else "")
        + f". Starting one process took about {seconds(first.start)}"
        + (f" ({seconds(each)} of processor time)" if 0 < each <= first.start / 2 else "")
        + (f", of which its imports took {seconds(first.imports)}" if first.imports else "")
        + f", starting all of them {seconds(stake.seconds)} added up; what a process does beyond a "
        "start is not included.",
        stake=stake,
        programs=f"{first.program} \u00d7 {count(first.number)}",
        processes=first.number,
        evidence=facts.sums(table, "COUNT", "OPENS", "BYTES_READ") if table is not None else (),
        remedy=Remedy(words, example),
        limits=(
            "each.processes", "each.importing", "each.files", "each.start", "each.processor",
            "files.small",
        ),
        covers=frozenset().union(*(one.ids for one in found)),
    )  # fmt: skip


def _groups(facts: Facts, tree: Processes) -> Iterator[tuple[str, int, Places]]:
    """Yields, for each program and each process that started it (subshells are skipped), the
    program's name, the index of that process, and the indices of the processes that it started.
    Leaves out compilers, programs that tools such as make start, workers, ranks, and processes that
    were not instrumented. Also leaves out processes that only repeat the work of others, because
    another finding is about them."""
    repeated = {name for f in facts.found(repeated_by_processes.find) for name in f.doers}
    groups: dict[tuple[str, int], list[int]] = {}
    for place, program in enumerate(tree.programs):
        if program.worker or program.job_ranks or tree.unseen[place] or tree.parents[place] < 0:
            continue
        if program.name not in repeated and program.name not in _COMPILERS:
            groups.setdefault((program.name, starter_of(tree, place)), []).append(place)
    for (name, starter), places in groups.items():
        if tree.programs[starter].name not in _BUILDERS:
            yield name, starter, np.array(places)


def _path(command: str, program: str) -> str:
    """Returns the path of a script in a command line; `""` if there is none. program: name of the
    script."""
    return next((word for word in command.split() if os.path.basename(word) == program), "")


def _imports(facts: Facts, tree: Processes, program: str, starter: int, at: Places) -> float:
    """Returns the seconds that each of these processes spends on imports. Returns 0 if that is
    unknown, if the processes are few, run several scripts or were started by make, snakemake or
    nextflow, or if starts and imports are not most of their work. starter: index of the process
    that started them; at: their indices."""
    spent, rules = costs(facts), tree.programs[starter].name in _RULES
    number = int(tree.counts[at].sum())
    if rules or spent is None or number < facts.limits["each.importing"]:
        return 0.0
    if len({_path(tree.commands[place], program) for place in at}) > 1:
        return 0.0  # several scripts of one name, each with different work
    work = spent.work(at, tree.time)
    every = [place for place, one in enumerate(tree.programs) if one.name == program]
    part = number / int(tree.counts[every].sum())  # other processes may have started some of them
    took = min(work, part * imports_of(facts, program).seconds)
    start = number * start_time(facts, tree, at)
    return took / number if took > start and took + start >= _IMPORTS * work else 0.0


def _of(facts: Facts, tree: Processes, program: str, starter: int, at: Places) -> _Each | None:
    """Returns the processes of one program that one process started. Returns None if they are few
    (or very few, if they mostly import), if each moves many bytes or uses many files, or if few
    have files of their own and their start is a small part of their work. starter: index of the
    process that started them; at: their indices."""
    number = int(tree.counts[at].sum())
    imports = _imports(facts, tree, program, starter, at)
    if number < facts.limits["each.processes"] and not imports:
        return None
    moved = int((tree.read[at] + tree.written[at]).sum())
    moved -= min(moved, imports_of(facts, program).read) if imports else 0
    if moved > facts.limits["files.small"] * number:
        return None
    ids = _files(facts, tree, at)
    if len(ids) > facts.limits["each.files"] * number:
        return None
    files = len(ids) if len(ids) >= number / 2 else 0
    start = start_time(facts, tree, at) + imports
    spent = costs(facts)
    if not files and (spent is None or number * start < _STARTS * spent.work(at, tree.time)):
        return None  # these processes mostly do other work
    known = frozenset(ids) if files else frozenset[int]()
    return _Each(program, starter, number, files, moved, start, at, known, imports)


def _subshells(facts: Facts, tree: Processes, found: Sequence[_Each]) -> Iterator[_Each]:
    """Yields the subshells that the loops in `found` start about as often as their programs, for a
    pipe or a command substitution, and that start no processes themselves."""
    parents = set(tree.parents.tolist())
    for starter in dict.fromkeys(one.starter for one in found):
        places = [
            place
            for place, program in enumerate(tree.programs)
            if program.worker and program.shell and place not in parents
            if tree.parents[place] >= 0 and starter_of(tree, place) == starter
        ]
        if not places:
            continue
        at = np.array(places)
        number = int(tree.counts[at].sum())
        if 2 * number >= min(one.number for one in found if one.starter == starter):
            start = start_time(facts, tree, at)
            moved = int((tree.read[at] + tree.written[at]).sum())
            yield _Each("subshells", starter, number, 0, moved, start, at)


def _files(facts: Facts, tree: Processes, at: Places) -> set[int]:
    """Returns the ids of the files that only one of these processes uses, without temporary names
    of files that were renamed. at: indices of the processes."""
    ranks, found = tree.ranks[at], set[int]()
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is not None:
            found |= set(table.records.ids[np.isin(table.records.ranks, ranks)].tolist())
    posix = facts.table("POSIX")
    if posix is not None:
        found -= set(posix.ids[posix["RENAME_SOURCES"] > 0].tolist())
    return found
