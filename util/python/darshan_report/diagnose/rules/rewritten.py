"""A file is written whole, again and again: in place, or as a new file that is then renamed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...measure.renamed import is_aside
from ...units import amount, count, plural, seconds
from ..facts import Facts, once
from ..finding import CAUSE, Evidence, Finding, Remedy
from ..loops import between
from ..table import Table

NAME = "rewritten-whole"
ROLE = CAUSE
_WHOLE = 0.2  # least part of the last size that each open writes: a growing file has
# 0.5, and every second open may only read.
_EVEN = 0.9  # above this part the file had its last size from the beginning
_MODULES = ("POSIX", "STDIO")


@dataclass(frozen=True)
class Rewritten:
    """One file, under its last name."""

    name: str
    ids: frozenset[int]  # of its records, and those of the files that were renamed to it
    times: float  # rewrites by each process
    written: float  # bytes
    size: float  # bytes of the largest version
    lost: float  # seconds
    renamed: bool
    evidence: tuple[Evidence, ...]


@once
def files(facts: Facts) -> tuple[Rewritten, ...]:
    """Returns the rewritten files, the costliest first."""
    renamed = _renamed(facts)
    covered = frozenset().union(*(one.ids for one in renamed))
    found = [*renamed]
    for module in _MODULES:
        if (table := facts.table(module)) is not None:
            found += _in_place(facts, table, covered)
    return tuple(sorted(found, key=lambda one: -one.lost))


def ids(facts: Facts) -> np.ndarray:
    """Returns the record ids of all rewritten files."""
    every = frozenset().union(*(one.ids for one in files(facts)))
    return np.fromiter(every, "u8", len(every))


def _lost(facts: Facts, table: Table, times: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Returns the seconds of all opens but one, and of the bytes that were written again."""
    opening = table["F_META_TIME"] * (1 - 1 / np.maximum(times, 1))
    lost: np.ndarray = opening + facts.moving(table, "WRITE") * again
    return lost


def _in_place(facts: Facts, table: Table, covered: frozenset[int]) -> Iterator[Rewritten]:
    limits = facts.limits
    opens = facts.opens(table)
    times = opens / np.maximum(table.processes, 1)
    written = table["BYTES_WRITTEN"] - facts.unplaced(table, "WRITTEN")
    size = table["MAX_BYTE_WRITTEN"] + 1
    mask = facts.single(table) & (times > limits["opens.again"]) & (table["WRITES"] > 0)
    mask &= (written >= limits["again.factor"] * size) & (written >= _WHOLE * opens * size)
    # A small file may be opened to append each line. A file that always had its last size has
    # pieces of equal size, or is a checkpoint, of which all bytes may be new.
    mask &= (size > limits["stream.buffer"]) & (written < _EVEN * opens * size)
    mask &= ~np.isin(table.ids, _removed(facts, table, opens))
    lost = _lost(facts, table, times, 1 - size / np.maximum(written, 1))
    for place in np.flatnonzero(mask).tolist():
        number = int(table.ids[place])
        if number not in covered:
            yield Rewritten(
                facts.name(number), frozenset({number}), float(times[place]),
                float(written[place]), float(size[place]), float(lost[place]), False,
                facts.rows(
                    table, place, "OPENS", "BYTES_WRITTEN", "MAX_BYTE_WRITTEN", "F_META_TIME",
                    "F_WRITE_TIME",
                ),
            )  # fmt: skip


def _removed(facts: Facts, table: Table, opens: np.ndarray) -> np.ndarray:
    """Returns the ids of the files that are removed about as often as they are opened: locks, or
    files that pass data to another process."""
    extra = facts.table("POSIX_EXT")
    if extra is None or not len(table):
        return np.empty(0, "u8")
    _, here, there = np.intersect1d(table.ids, extra.ids, return_indices=True)
    removed: np.ndarray = table.ids[here[2 * extra["UNLINKS"][there] >= np.maximum(opens[here], 1)]]
    return removed


def _renamed(facts: Facts) -> list[Rewritten]:
    """Returns the files that other files of the same folder were renamed to."""
    posix = facts.table("POSIX")
    if posix is None or not posix.has("RENAME_TARGETS"):
        return []
    often = facts.limits["opens.again"] * posix.processes
    targets = np.flatnonzero((posix["RENAME_TARGETS"] > often) & facts.single(posix))
    if not len(targets):
        return []
    by_folder: dict[str, list[int]] = defaultdict(list)
    for place in np.flatnonzero(posix["RENAME_SOURCES"] > 0):
        by_folder[os.path.dirname(facts.own_name(int(posix.ids[place])))].append(int(place))
    tables = [table for module in _MODULES if (table := facts.table(module)) is not None]
    # Once for all targets, of which there may be as many as files.
    timed = [
        (table, _places(table), table["F_META_TIME"] + facts.moving(table, "WRITE"))
        for table in tables
    ]
    own = _places(posix)
    last_sources = posix.record_ids("RENAMED_FROM")
    found = []
    for target in targets:
        folder = os.path.dirname(facts.own_name(int(posix.ids[target])))
        last = own.get(int(last_sources[target]))
        # If several files are replaced, only the last source of each is known for certain.
        if len(targets) > 1:
            places = [] if last is None else [last]
        else:
            places = [place for place in by_folder[folder] if place != target]
        one = _of_target(facts, posix, int(target), places, timed)
        if one is not None:
            found.append(one)
    return found


def _places(table: Table) -> dict[int, int]:
    """Returns the row of each file, by its id."""
    return {number: place for place, number in enumerate(table.ids.tolist())}


def _of_target(
    facts: Facts, posix: Table, target: int, places: list[int],
    timed: list[tuple[Table, dict[int, int], np.ndarray]],
) -> Rewritten | None:  # fmt: skip
    """Returns the rewritten file that other files were renamed to; None if the renames are not a
    pattern. target, places: rows of the file and of the other files. timed: tables, the row of each
    file there, and the seconds that it spent."""
    number = int(posix.ids[target])
    renames = float(posix["RENAME_TARGETS"][target])
    sources = posix.ids[places]
    written, size, lost = 0.0, 0.0, 0.0
    for table, rows, spent in timed:
        mine = [rows[number] for number in sources.tolist() if number in rows]
        if not mine:
            continue
        written += float(table["BYTES_WRITTEN"][mine].sum())
        size = max(size, float(table["MAX_BYTE_WRITTEN"][mine].max() + 1))
        lost += float(spent[mine].sum()) * (1 - 1 / renames)
    if written < _WHOLE * renames * size or written <= 0:
        return None
    if size > facts.limits["files.small"] and written >= _EVEN * renames * size:
        return None
    # A backup has the name of another file, and that file is the rewritten one.
    aside = is_aside(facts.own_name(number)) and len(sources) == 1
    known_as = facts.own_name(int(sources[0]) if aside else number)
    return Rewritten(
        known_as, frozenset({number, *map(int, sources)}),
        renames / max(1, int(posix.processes[target])), written, size, lost, not aside,
        facts.rows(posix, target, "RENAME_TARGETS", "F_META_TIME"),
    )  # fmt: skip


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on files that are written whole again and again, in place or as new files
    that are then renamed."""
    found = files(facts)
    lost = sum(one.lost for one in found)
    aside = between(facts, NAME, lost)
    stake = facts.stake(
        lost,
        "time in opening, writing and closing these files, without the last version of each"
        + aside.basis,
        between=aside.seconds,
    )
    if not found or not facts.worth(stake):
        return
    first, more = found[0], len(found) - 1
    yield Finding(
        NAME,
        "A file is written whole again and again",
        f"{first.name} was written whole {count(first.times)} times"
        + (", each time as a new file that was renamed to it" if first.renamed else "")
        + f": {amount(first.written)} for a file of {amount(first.size)}"
        + (f"; the same holds for {plural(more, 'more file')}" if more else "")
        + f". That took {seconds(lost)}{facts.over_all}.{aside.sentence}",
        stake=stake,
        evidence=first.evidence,
        remedy=Remedy(
            "Write only new data: append them to a file that stays open. Or save the whole file "
            "less "
            "often: once per checkpoint, once a minute, or once at the end. Open once and "
            "overwrite the old state if it is small and a crash may lose it.",
            'C: fprintf(stream, format, record);  // opened once with "a", a line per record\n'
            "Python: file.write(json.dumps(record) + '\\n')  # opened once with 'a'\n"
            "Python: if now - saved >= 60: save(state); saved = now\n"
            "Perl: print $file $line;  # opened once with '>>', a line per record\n"
            'shell: echo "$line" >> file  # a line per record, not the whole state',
        ),
        limits=("opens.again", "again.factor", "stream.buffer", "files.small"),
        covers=frozenset().union(*(one.ids for one in found)),
    )
