"""Each of many processes of one program writes the same whole file again, to add or change a part
of it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....classes import dataclass
from ....measure.processes.processes import Processes
from ....units import amount, count, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Evidence, Finding, Remedy, Stake
from ...programs.responsible_programs import users
from ...programs.sqlite import databases
from ...remedies.language import of_program
from ...table import Table
from ...times.process_costs import Places, costs, of_work, start_time, starter_of
from . import repeated_by_processes

NAME = "rewritten-by-processes"
ROLE = CAUSE
_WHOLE = 0.2  # smallest share of the final size that each process writes; a growing file has 0.5
_EVEN = 0.9  # above this share, the file had its final size from the beginning
_MOSTLY = 0.5  # smallest share of a file's bytes that the processes of one program wrote
_LOOKED_AT = 8  # number of files that are examined, those with most bytes
_MODULES = ("POSIX", "STDIO")
# For each program, one call that replaces many.
_ONCE = {
    "ar": "ar rcs library.a objects/*.o  # all members in one call",
    "zip": "zip archive.zip folder/*.txt  # all members in one call; zip -@ reads names",
    "7z": "7z a archive.7z folder/*.txt  # all members in one call",
    "jar": "jar cf archive.jar -C folder .  # all members in one call",
    "jq": "jq '.a = 1 | .b = 2' file > new && mv new file  # all changes in one call",
    "yq": "yq -i '.a = 1 | .b = 2' file  # all changes in one call",
    "sed": "sed -i -e 's/a/b/' -e 's/c/d/' file  # all changes in one call",
    "sort": "sort -u -o list list new/*.txt  # once, with all that is new",
    "sqlite3": "sqlite3 data.db < statements.sql  # BEGIN; all statements; COMMIT;",
    "ncks": "ncks -A all.nc file.nc  # or ncrcat *.nc file.nc: one call for all",
}
_ANY = "{} FILE ITEM1 ITEM2 ...  # once for all, not in a loop"
_SCRIPTS = (
    "Python: for item in sys.argv[1:]: change(data, item)\n"
    "Python: json.dump(data, file)  # once, behind the loop\n"
    "shell: python {} ITEM1 ITEM2 ...  # once, not in a loop"
)


@dataclass(frozen=True)
class _File:
    """A file under its last name, with the bytes and seconds of all names that it had before
    renames."""

    id: int
    ids: frozenset[int]  # its ids, and those of the files that were renamed to it
    table: Table  # table that has a row of the file
    written: int  # bytes
    read: int
    size: int  # bytes of the largest version
    seconds: float  # in calls


@dataclass(frozen=True)
class _Again:
    """The processes of one program that each wrote the same file."""

    program: str
    at: Places
    number: int
    file: _File


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for each program of which many processes write the same whole file again;
    nothing if there is none."""
    tree, known = facts.tree, costs(facts)
    if tree is None or known is None:
        return
    # Another finding is about programs that read a file again for each change.
    told = {name for found in facts.found(repeated_by_processes.find) for name in found.doers}
    for file in _files(facts):
        if facts.name(file.id) in databases(facts):
            continue  # a database, which is written in pages and has its own findings
        again = _writers(facts, tree, file)
        if again is None or again.program in told or not _is_again(facts, again):
            continue
        told.add(again.program)
        spent = known.work(again.at, tree.time)
        stake = _stake(facts, tree, again, spent)
        if facts.worth(stake):
            yield _finding(facts, tree, again, stake, spent)


def _files(facts: Facts) -> Iterator[_File]:
    """Yields the files to which most bytes were written, each combined with the files that were
    renamed to it; then the files that were never written under their own name, because all their
    bytes come from renamed files."""
    tables = [table for name in _MODULES if (table := facts.table(name)) is not None]
    renamed = _sources(facts)
    sources = {one for some in renamed.values() for one in some}
    for table in tables:
        written = np.where(facts.single(table), table["BYTES_WRITTEN"], 0)
        for number, some in renamed.items():
            if (place := table.place(number)) is not None:
                written[place] += sum(
                    int(table["BYTES_WRITTEN"][at]) for one in some
                    if (at := table.place(one)) is not None
                )  # fmt: skip
        for place in leading(written > facts.limits["stream.buffer"], written, _LOOKED_AT):
            number = int(table.ids[place])
            if number not in sources:
                yield _file(
                    facts, number, frozenset({number, *renamed.get(number, ())}), tables, table
                )
    posix = facts.table("POSIX")
    for number in renamed:  # a name that the file has only because of renames
        if posix is not None and not any(int(t["BYTES_WRITTEN"][p]) for t in tables
                                         if (p := t.place(number)) is not None):  # fmt: skip
            yield _file(facts, number, frozenset({number, *renamed[number]}), tables, posix)


def _file(
    facts: Facts, number: int, ids: frozenset[int], tables: list[Table], table: Table
) -> _File:
    """Returns the sums over all names of a file. number: id of its last name. ids: of all its
    names. table: that with its last name."""
    rows = [(one, place) for one in tables for i in ids if (place := one.place(i)) is not None]
    # The offsets of a redirected output are unknown. If the file is renamed, it is read by its last
    # name.
    ends = ("MAX_BYTE_WRITTEN", "MAX_BYTE_READ") if len(ids) > 1 else ("MAX_BYTE_WRITTEN",)
    size = max(int(one[end][place]) + 1 for one, place in rows for end in ends)
    written = sum(int(one["BYTES_WRITTEN"][place]) for one, place in rows)
    read = sum(int(one["BYTES_READ"][place]) for one, place in rows)
    spent = sum(float(facts.time(one)[place]) for one, place in rows)
    return _File(number, ids, table, written, read, size, spent)


def _sources(facts: Facts) -> dict[int, tuple[int, ...]]:
    """Maps the id of a file to whose name files were renamed many times to the ids of these files;
    {} if there is none. The log has only the last source of each file, so all renamed files in a
    folder are taken to be the sources of its one such file; folders with several are left out."""
    posix = facts.table("POSIX")
    if posix is None or not posix.has("RENAME_TARGETS"):
        return {}
    often = facts.limits["repeated.processes"]
    targets: dict[str, list[int]] = defaultdict(list)
    sources: dict[str, list[int]] = defaultdict(list)
    for column, found, least in (
        ("RENAME_TARGETS", targets, often), ("RENAME_SOURCES", sources, 1),
    ):  # fmt: skip
        for place in np.flatnonzero(posix[column] >= least):
            number = int(posix.ids[place])
            found[os.path.dirname(facts.own_name(number))].append(number)
    known: dict[int, tuple[int, ...]] = {}
    for folder, some in targets.items():
        if len(some) == 1:
            known[some[0]] = tuple(n for n in sources[folder] if n != some[0])
    return known


def _writers(facts: Facts, tree: Processes, file: _File) -> _Again | None:
    """Returns the processes of the program that wrote most of a file; None if no single program
    did, or if none of its processes is known."""
    places: set[int] = set()
    for name in _MODULES:
        table = facts.table(name)
        for number in file.ids if table is not None else ():
            place = table.place(number) if table is not None else None
            if table is not None and place is not None and table["BYTES_WRITTEN"][place] > 0:
                places.update(users(facts, table, number).tolist())
    at: npt.NDArray[np.int64] = np.array(sorted(places) or range(len(tree)))
    sums: dict[str, int] = defaultdict(int)
    for place in at.tolist():
        if not tree.unseen[place]:
            sums[tree.programs[place].name] += int(tree.written[place])
    program = max(sums, key=lambda name: sums[name], default="")
    at = np.array([place for place in at.tolist() if tree.programs[place].name == program])
    if not len(at) or sums[program] < _MOSTLY * file.written:
        return None
    at = at[tree.written[at] > 0]
    return _Again(program, at, int(tree.counts[at].sum()), file)


def _is_again(facts: Facts, again: _Again) -> bool:
    """Returns whether many processes wrote a large part of the file each, on average. Returns False
    for a file that always had its final size and was not read, because it may be a new result each
    time."""
    file, number, limits = again.file, again.number, facts.limits
    if number < limits["repeated.processes"] or file.size <= limits["stream.buffer"]:
        return False
    if file.written < max(limits["again.factor"], _WHOLE * number) * file.size:
        return False
    is_even = file.written >= _EVEN * number * file.size
    return not is_even or file.read >= _EVEN * (number - 1) * file.size


def _stake(facts: Facts, tree: Processes, again: _Again, spent: float) -> Stake:
    """Returns the potential saving if the file is written only once: the seconds of the calls, and
    the most time that the program needs to process the bytes. spent: seconds of the calls."""
    file, at = again.file, again.at
    saved = 1 - file.size / file.written
    in_calls = min(spent, file.seconds)
    beside = spent - in_calls - again.number * start_time(facts, tree, at)
    beside = min(max(0.0, beside), (file.read + file.written) / facts.limits["parse.rate"])
    return of_work(
        facts,
        facts.stake(
            in_calls * saved,
            "work of these processes on all versions of the file but one, without their starts",
            between=beside * saved,
        ),
    )


def _finding(facts: Facts, tree: Processes, again: _Again, stake: Stake, spent: float) -> Finding:
    """Returns the finding. spent: seconds of the processes."""
    file, program, number = again.file, again.program, again.number
    starters = {tree.programs[starter_of(tree, p)].name for p in again.at if tree.parents[p] >= 0}
    by = f", which {next(iter(starters))} started," if len(starters) == 1 else ""
    reads = (
        f", after they had read {amount(file.read)} of it" if file.read > file.written / 2 else ""
    )
    table = facts.table("PROCESS")
    return Finding(
        NAME,
        "Each of many processes writes the same file whole again",
        f"{count(number)} processes of {program}{by} wrote {facts.name(file.id)} again and again: "
        f"{amount(file.written)} in total{reads}, for a file of {amount(file.size)}. Their work "
        f"took {seconds(spent)}{facts.over_all}, waits for a processor included.",
        stake=stake,
        programs=f"{program} \u00d7 {count(number)}",
        processes=number,
        doers=(program,),
        evidence=_evidence(facts, file)
        + (facts.sums(table, "COUNT", "BYTES_WRITTEN") if table is not None else ()),
        remedy=_remedy(tree, again),
        limits=("repeated.processes", "again.factor", "stream.buffer", "parse.rate"),
        covers=file.ids,
    )


def _evidence(facts: Facts, file: _File) -> tuple[Evidence, ...]:
    """Returns the opens and the written bytes of a file as evidence; () if its table has no record
    of it."""
    place = file.table.place(file.id)
    return () if place is None else facts.rows(file.table, place, "OPENS", "BYTES_WRITTEN")


def _remedy(tree: Processes, again: _Again) -> Remedy:
    """Returns the remedy, by the program that writes the file."""
    program = again.program
    if of_program(tree.commands[int(again.at[0])].partition(" ")[0]) == "Python":
        return Remedy(
            "Let one process make all changes in memory, and write the file once; or write each "
            "change as a line that is appended.",
            _SCRIPTS.format(program),
        )
    return Remedy(
        f"Give all items to one call of {program}, which then writes the file once.",
        _ONCE.get(program, _ANY.format(program)),
    )
