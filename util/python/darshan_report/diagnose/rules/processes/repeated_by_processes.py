"""Many short processes of one program repeat the same work: each reads the same whole files, or
lists the same folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field

import numpy as np
import numpy.typing as npt

from ....classes import dataclass
from ....measure.processes.processes import Processes
from ....units import amount, count, plural, seconds
from ...facts import Facts
from ...finding import CAUSE, Evidence, Finding, Remedy
from ...remedies.language import of_program
from ...table import Table
from ...times.process_costs import costs, of_work, starter_of

NAME = "repeated-by-processes"
ROLE = CAUSE
_MOSTLY = 0.9  # share of the bytes that a program's processes read, or of a file's bytes
_MANY = 20_000  # largest number of files or folders that are examined, the most used first
# Programs whose purpose is to process the bytes that they read, as of_program() names their kinds.
_THROUGH = frozenset(("shell", "awk", "sed"))
# Programs whose purpose is to list folders.
_LISTERS = frozenset(("find", "ls", "du", "tree", "fd", "fdfind"))
# For each program, one call that replaces many.
_ONCE = {
    "sed": "sed -i -e 's/a/b/' -e 's/c/d/' file  # all changes in one call",
    "awk": "awk '/a/ { a++ } /b/ { b++ } END { print a, b }' file  # one pass for all questions",
    "grep": "grep -e ONE -e OTHER file  # or grep -f patterns file: one pass for all",
    "find": "find folder -type f > names  # once; then search in names",
    "ls": "ls folder > names  # once; then search in names",
    "du": "du -a folder > sizes  # once; then search in sizes",
    "sort": "sort file > sorted  # once; then read sorted",
}
_SUMS = "find folder -type f -newer sums -exec {} {{}} + >> sums  # only files that changed since"
_MAKES = frozenset(("make", "gmake"))
_PASS = "awk '{ ... }' file  # one pass that takes all"


@dataclass
class _Again:
    """Work that the processes of one program repeat, either reading the same files or listing the
    same folders: how much they did, and how much is enough to do it once."""

    program: str
    table: Table
    is_listing: bool
    rows: list[int] = field(default_factory=list)  # rows of the table, the most used first
    moved: int = 0  # bytes read, or listings
    once: int = 0  # bytes of the files, or folders

    @property
    def saved(self) -> float:
        """The share (0 to 1) of the bytes read, or of the listings, that is saved if each file is
        read, or each folder listed, only once."""
        return 1 - self.once / max(1, self.moved)


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for each program whose processes repeat the same work at a noticeable cost;
    nothing if there is none."""
    tree = facts.tree
    if tree is None or costs(facts) is None:
        return
    for again in [*_reading(facts, tree), *_listing(facts, tree)]:
        finding = _finding(facts, tree, again)
        if finding is not None:
            yield finding


def _finding(facts: Facts, tree: Processes, again: _Again) -> Finding | None:
    """Returns the finding about the processes of a program; None if they are few, if less than half
    of their work is a repetition, or if the repetition costs little."""
    known = costs(facts)
    at = np.array([i for i, p in enumerate(tree.programs) if p.name == again.program])
    number = int(tree.counts[at].sum())
    equal = len({tree.commands[place] for place in at}) == 1
    least = facts.limits["byeach.processes"] if equal else facts.limits["repeated.processes"]
    if known is None or number < least or again.once >= again.moved / 2:
        return None
    whole = int(tree.read[at].sum())
    if not again.is_listing and again.moved < _MOSTLY * whole:
        return None
    spent = known.work(at, tree.time)
    in_calls = min(spent, float(tree.time[at].sum()))
    stake = facts.stake(
        in_calls * again.saved,
        f"work of these processes beyond that of "
        f"{'one that lists each folder' if again.is_listing else 'reading each file'} once",
        between=(spent - in_calls) * again.saved,
    )
    stake = of_work(facts, stake)
    if not facts.worth(stake):
        return None
    table = facts.table("PROCESS")
    starters = _starters(tree, at)
    by_make = bool(starters) and starters <= _MAKES
    return Finding(
        NAME,
        "Many processes do the same work again",
        _sentence(facts, tree, again, at, spent),
        stake=stake,
        programs=f"{again.program} \u00d7 {count(number)}",
        processes=number,
        doers=(again.program,),
        evidence=_evidence(facts, again)
        + (facts.sums(table, "COUNT", "BYTES_READ") if table is not None else ()),
        remedy=_by_make(_remedy(again)) if by_make else _remedy(again),
        at=f"a variable or a rule of {_command(tree, at)}" if by_make else "",
        limits=("repeated.processes", "byeach.processes", "byall.share"),
        covers=frozenset(int(again.table.ids[row]) for row in again.rows),
    )


def _evidence(facts: Facts, again: _Again) -> tuple[Evidence, ...]:
    """Returns the counters of the most used file or folder as evidence. They contain no times,
    because the finding is about all files and folders of the processes."""
    names = ("DIR_OPENS", "DIR_ENTRIES") if again.is_listing else ("OPENS", "BYTES_READ")
    return facts.rows(again.table, again.rows[0], *names)


def _starters(tree: Processes, at: npt.NDArray[np.int64]) -> set[str]:
    """Returns the names of the programs that started these processes, directly or through shells.
    at: indices of the processes."""
    return {tree.programs[starter_of(tree, p)].name for p in at if tree.parents[p] >= 0}


def _command(tree: Processes, at: npt.NDArray[np.int64]) -> str:
    """Returns the command line of the process that started the first of these processes. at:
    indices of the processes."""
    return tree.commands[starter_of(tree, int(at[0]))]


def _by_make(remedy: Remedy) -> Remedy:
    """Returns the remedy for commands that make runs: advice on variables of make, then the given
    remedy."""
    text = (
        "A variable of make that is set with = runs its $(shell ...) again at each use: set it "
        f"with :=, which runs it once. Otherwise: {remedy.text[:1].lower()}{remedy.text[1:]}"
    )
    return Remedy(text, f"make: SRCS := $(shell find src -type f)  # not =\n{remedy.example}")


def _sentence(
    facts: Facts, tree: Processes, again: _Again, at: npt.NDArray[np.int64], spent: float
) -> str:
    """Returns the sentences of the finding. at: indices of the processes. spent: seconds of their
    work."""
    number, first = int(tree.counts[at].sum()), facts.name(again.table.ids[again.rows[0]])
    starters = _starters(tree, at)
    by = f", which {next(iter(starters))} started," if len(starters) == 1 else ""
    others = len(again.rows) - 1
    if again.is_listing:
        what = f"{first} and {plural(others, 'more folder')}" if others else first
        did = f"listed {what}: {count(again.moved)} listings, where {count(again.once)} would do"
    else:
        what = f"{first} and {plural(others, 'more file')}" if others else first
        size = f"{'files' if others else 'a file'} of {amount(again.once)}"
        did = f"read {what} whole, each time again: {amount(again.moved)} in total, of {size}"
    if len({tree.commands[place] for place in at}) == 1:
        same = "All had the same command line."
    else:
        same = (
            "Their command lines differ. The log does not show whether each needs its own pass, "
            "or whether the contents changed in between."
        )
    return (
        f"{count(number)} processes of {again.program}{by} {did}. Their work took "
        f"{seconds(spent)}{facts.over_all}, waits for a processor included. {same}"
    )


def _remedy(again: _Again) -> Remedy:
    """Returns the remedy, by the program and by what it repeats."""
    name = again.program
    if again.is_listing:
        text = "List the folders once, keep the names in a file or a variable, and search in them."
    elif name.endswith("sum"):
        text = (
            "Keep the checksums, and compute them again only for files that changed since; or "
            "compute them once for all steps that need them."
        )
        return Remedy(text, _SUMS.format(name))
    else:
        text = (
            f"Do the work of all these calls in one call of {name}, which reads its input once, or "
            "keep its result for the next step."
        )
    return Remedy(text, _ONCE.get(name, _PASS))


def _reading(facts: Facts, tree: Processes) -> Iterator[_Again]:
    """Yields, for each program of which many processes read the same whole files, this repeated
    work."""
    found: dict[tuple[str, str], _Again] = {}
    users = _Users(facts, tree)
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        size = table["MAX_BYTE_READ"] + 1
        read = table["BYTES_READ"] - facts.unplaced(table, "READ")
        readers = table.processes
        whole = (readers >= facts.limits["byeach.processes"]) & facts.single(table)
        whole &= read >= facts.limits["byall.share"] * size * (readers - 1)
        for row in _most(np.where(whole, read, 0)):
            program = users.program(table, row, int(read[row]))
            if of_program(program) not in _THROUGH or program in ("bash", "sh", "dash"):
                continue
            again = found.setdefault((program, module), _Again(program, table, False))
            again.rows.append(row)
            again.moved += int(read[row])
            again.once += int(size[row])
    best: dict[str, _Again] = {}
    for (program, _), again in found.items():
        if program not in best or again.moved > best[program].moved:
            best[program] = again
    yield from best.values()


def _listing(facts: Facts, tree: Processes) -> Iterator[_Again]:
    """Yields, for each program of which many processes list the same folders, this repeated
    work."""
    table = facts.table("POSIX_EXT")
    if table is None:
        return
    lists = table["DIR_OPENS"]
    several = table.processes >= facts.limits["byeach.processes"]
    found: dict[str, _Again] = {}
    users = _Users(facts, tree)
    for row in _most(np.where(several, lists, 0)):
        program = users.program(table, row, 0)
        if program in _LISTERS:
            again = found.setdefault(program, _Again(program, table, True))
            again.rows.append(row)
            again.moved += int(lists[row])
            again.once += 1
    yield from found.values()


def _most(weights: npt.NDArray[np.int64]) -> list[int]:
    """Returns the indices of the largest weights, the largest first: only those above 0, and at
    most a fixed number."""
    order = np.argsort(-weights, kind="stable")[:_MANY]
    return [int(row) for row in order if weights[row] > 0]


class _Users:
    """Finds the program whose processes used a file. The log has only one combined record of such a
    file, with the number of processes and their lowest and highest rank, so the program is derived
    from these."""

    def __init__(self, facts: Facts, tree: Processes) -> None:
        """Adds up the bytes that the processes of each program read."""
        self._facts, self._tree = facts, tree
        self._between: dict[tuple[int, int], tuple[str, int]] = {}
        self._read: dict[str, int] = defaultdict(int)
        for place, program in enumerate(tree.programs):
            self._read[program.name] += int(tree.read[place])

    def program(self, table: Table, row: int, read: int) -> str:
        """Returns the name of the program that nearly all users of a file run; `""` if unknown.
        row: the file's row in the table; read: bytes that all users read."""
        partly = self._facts.shared.get(table.records.module.id)
        at = -1 if partly is None else int(partly.rows(table.ids[row : row + 1])[0])
        if partly is not None and at >= 0:
            name, number = self._of_ends(int(partly.lowest[at]), int(partly.highest[at]))
            if name:
                return name if number >= table.processes[row] else ""
        if read <= 0:
            return ""
        # Other programs read too little, in all files together, to be users of this file.
        name = max(self._read, key=self._read.__getitem__)
        others = sum(self._read.values()) - self._read[name]
        return name if others <= (1 - _MOSTLY) * read else ""

    def _of_ends(self, low: int, high: int) -> tuple[str, int]:
        """Returns the program that the processes `low` and `high` both run, and how many processes
        with ranks from low to high run it. Returns `""` and 0 if both run different programs, or
        are the same process."""
        if (low, high) not in self._between:
            ends = self._tree.places(np.array([low, high]))
            names = {self._tree.programs[place].name for place in ends}
            found = "", 0
            if len(names) == 1 and low < high:
                (name,) = names
                places = range(int(ends[0]), int(ends[-1]) + 1)
                same = [p for p in places if self._tree.programs[p].name == name]
                found = name, int(self._tree.counts[same].sum())
            self._between[low, high] = found
        return self._between[low, high]
