"""A whole file is written again and again: in place, or as a new file that is then renamed. If the
program also reads the whole file each time, and its size stays the same, the program changes a part
of it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ....classes import dataclass
from ....measure.files.renamed import is_aside
from ....records import among, in_both
from ....units import amount, count, plural, seconds
from ...accesses import rotations
from ...facts import Facts, once
from ...finding import CAUSE, Evidence, Finding, Remedy, Stake
from ...reached import CALLS, at_most
from ...remedies.library_words import saved_through
from ...table import Table
from ...times.loops import between

NAME = "rewritten-whole"
ROLE = CAUSE
_WHOLE = 0.2  # smallest share of the final size that each open writes. A growing file has
# 0.5 on average, and every second open may only read.
_EVEN = 0.9  # above this share, the file had its final size from the beginning
_MODULES = ("POSIX", "STDIO")
_ROUNDING = 0.05  # tolerance of equal numbers: some opens may not read, or not write
EDITED = f"{NAME}-edited"  # name of the finding on files that are also read whole each time


@dataclass(frozen=True)
class Rewritten:
    """A file that was written whole again and again, under its last name, with the number, bytes
    and seconds of the rewrites."""

    name: str
    ids: frozenset[int]  # ids of its records, and of the files that were renamed to it
    times: float  # number of rewrites by all its processes
    written: float  # bytes
    size: float  # bytes of the largest version
    lost: float  # seconds
    renamed: bool
    evidence: tuple[Evidence, ...]
    # Bytes read, if each version was read whole and all have the same size; else 0.
    read: float = 0.0


@once
def files(facts: Facts) -> tuple[Rewritten, ...]:
    """Returns the files that were written whole again and again, the costliest first."""
    renamed = _renamed(facts)
    covered = frozenset().union(*(one.ids for one in renamed))
    found = [*renamed]
    for module in _MODULES:
        if (table := facts.table(module)) is not None:
            found += _in_place(facts, table, covered)
    return tuple(sorted(found, key=lambda one: -one.lost))


def ids(facts: Facts) -> np.ndarray:
    """Returns the record ids of all rewritten files, and of the files that were renamed to them."""
    every = frozenset().union(*(one.ids for one in files(facts)))
    return np.fromiter(every, "u8", len(every))


def _lost(facts: Facts, table: Table, times: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Returns the seconds per file of all opens but one, and of writing the share `again` of the
    bytes. times: how often each file was written."""
    opening = table["F_META_TIME"] + _of_descriptors(facts, table)[1]
    opening = opening * (1 - 1 / np.maximum(times, 1))
    lost: np.ndarray = opening + facts.moving(table, "WRITE") * again
    return lost


@once
def _of_descriptors(facts: Facts, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each STDIO record, the POSIX opens of streams on a descriptor that the program
    had opened, and the seconds of POSIX calls on names; both 0 for other records. numpy.save writes
    its array through such a stream."""
    opens, spent = np.zeros(len(table)), np.zeros(len(table))
    posix = facts.table("POSIX")
    if posix is not None and table.prefix == "STDIO":
        here, there = in_both(table.ids, posix.ids)
        of = np.minimum(facts.opens(posix)[there], table["FDOPENS"][here])
        opens[here], spent[here] = of, np.where(of > 0, posix["F_META_TIME"][there], 0.0)
    return opens, spent


def _in_place(facts: Facts, table: Table, covered: frozenset[int]) -> Iterator[Rewritten]:
    """Yields the files of one layer that are written again in place. covered: ids of the files that
    were found as renamed ones."""
    limits = facts.limits
    opens = facts.opens(table) + _of_descriptors(facts, table)[0]
    times = opens / np.maximum(table.processes, 1)
    written = table["BYTES_WRITTEN"] - facts.unplaced(table, "WRITTEN")
    size = table["MAX_BYTE_WRITTEN"] + 1
    mask = facts.single(table) & (times > limits["opens.again"]) & (table["WRITES"] > 0)
    mask &= (written >= limits["again.factor"] * size) & (written >= _WHOLE * opens * size)
    # A small file may be opened to append each line. A file that always had its final size has
    # pieces of equal size, or is a checkpoint, whose bytes may all be new.
    mask &= (size > limits["stream.buffer"]) & (written < _EVEN * opens * size)
    mask &= ~among(table.ids, _removed(facts, table, opens))
    mask &= ~among(table.ids, rotations.ids(facts))
    lost = _lost(facts, table, times, 1 - size / np.maximum(written, 1))
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    # Each change takes two opens: one reads the whole file, one writes it.
    edited = np.minimum(read, written) >= _EVEN * (opens / 2 - 1) * size
    # Opens that only read do not write the file: their share is about that of the bytes.
    rewrites = opens * np.where(read > _ROUNDING * written, written / (read + written), 1.0)
    for place in np.flatnonzero(mask).tolist():
        number = int(table.ids[place])
        if number not in covered:
            known = Rewritten(
                facts.name(number), frozenset({number}), float(rewrites[place]),
                float(written[place]), float(size[place]), float(lost[place]), False,
                facts.rows(
                    table, place, "OPENS", "BYTES_WRITTEN", "MAX_BYTE_WRITTEN", "F_META_TIME",
                    "F_WRITE_TIME",
                ),
            )  # fmt: skip
            if edited[place]:
                known = _with_reads(facts, known, float(opens[place]) / 2, table, place)
            yield known


def _with_reads(facts: Facts, one: Rewritten, times: float, table: Table, place: int) -> Rewritten:
    """Returns a rewritten file with its reads, because the program also read each version whole:
    all reads but the first are lost, too. one: the file; times: its number of rewrites, which
    replaces the old number. place: the file's row in the table, from which the reads come."""
    more = float(facts.moving(table, "READ")[place]) * (1 - 1 / max(times, 1.0))
    evidence = one.evidence + facts.rows(table, place, "BYTES_READ", "F_READ_TIME")
    read = float(table["BYTES_READ"][place])
    return replace(one, times=times, read=read, lost=one.lost + more, evidence=evidence)


def edited_ids(facts: Facts) -> np.ndarray:
    """Returns the record ids of the files that a program rewrites again and again and also reads
    whole each time."""
    every = frozenset().union(*(one.ids for one in files(facts) if one.read))
    return np.fromiter(every, "u8", len(every))


def _removed(facts: Facts, table: Table, opens: np.ndarray) -> np.ndarray:
    """Returns the ids of the files that are removed at least half as often as they are opened:
    locks, or files that pass data to another process. Empty without POSIX_EXT. opens: number, for
    each file."""
    extra = facts.table("POSIX_EXT")
    if extra is None or not len(table):
        return np.empty(0, "u8")
    here, there = in_both(table.ids, extra.ids)
    removed: np.ndarray = table.ids[here[2 * extra["UNLINKS"][there] >= np.maximum(opens[here], 1)]]
    return removed


def _renamed(facts: Facts) -> list[Rewritten]:
    """Returns the files that are rewritten by renaming other files of the same folder to their
    names, again and again; [] if there are none, or if the log lacks renames."""
    posix = facts.table("POSIX")
    if posix is None or not posix.has("RENAME_TARGETS"):
        return []
    often = facts.limits["opens.again"] * posix.processes
    kept = among(posix.ids, rotations.ids(facts))
    targets = np.flatnonzero((posix["RENAME_TARGETS"] > often) & facts.single(posix) & ~kept)
    if not len(targets):
        return []
    by_folder: dict[str, list[int]] = defaultdict(list)
    for place in np.flatnonzero(posix["RENAME_SOURCES"] > 0):
        by_folder[os.path.dirname(facts.own_name(int(posix.ids[place])))].append(int(place))
    tables = [table for module in _MODULES if (table := facts.table(module)) is not None]
    # Done once for all targets, because there may be as many targets as files.
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
    """Returns the row of each file in a table, by record id."""
    return {number: place for place, number in enumerate(table.ids.tolist())}


def _of_target(
    facts: Facts, posix: Table, target: int, places: list[int],
    timed: list[tuple[Table, dict[int, int], np.ndarray]],
) -> Rewritten | None:  # fmt: skip
    """Returns the rewritten file that other files were renamed to. Returns None if these had little
    of its bytes, or if it is a large file that always had its final size and is not read, as each
    version may then be a new result. target, places: rows of the file and of the other files.
    timed: tables, each with the row of each file in it and the seconds per file."""
    number = int(posix.ids[target])
    renames = float(posix["RENAME_TARGETS"][target])
    sources = posix.ids[places]
    written, size, lost = 0.0, 0.0, 0.0
    evidence = facts.rows(posix, target, "RENAME_TARGETS", "F_META_TIME")
    for table, rows, spent in timed:
        mine = [rows[number] for number in sources.tolist() if number in rows]
        if not mine:
            continue
        most = mine[int(np.argmax(table["BYTES_WRITTEN"][mine]))]
        if table["BYTES_WRITTEN"][most] > 0:
            evidence += facts.rows(table, most, "BYTES_WRITTEN", "F_WRITE_TIME")
        written += float(table["BYTES_WRITTEN"][mine].sum())
        size = max(size, float(table["MAX_BYTE_WRITTEN"][mine].max() + 1))
        lost += float(spent[mine].sum()) * (1 - 1 / renames)
    if written < _WHOLE * renames * size or written <= 0:
        return None
    is_even = written >= _EVEN * renames * size
    read = _read_whole(facts, number, timed, (renames - 1) * size) if is_even else None
    if size > facts.limits["files.small"] and is_even and not read:
        return None
    # A backup is renamed from another file, and that other file is the rewritten one.
    aside = is_aside(facts.own_name(number)) and len(sources) == 1
    known_as = facts.own_name(int(sources[0]) if aside else number)
    one = Rewritten(
        known_as, frozenset({number, *map(int, sources)}),
        renames, written, size, lost, not aside, evidence,
    )  # fmt: skip
    return one if read is None or aside else _with_reads(facts, one, one.times, *read)


def _read_whole(
    facts: Facts, number: int, timed: list[tuple[Table, dict[int, int], np.ndarray]], least: float
) -> tuple[Table, int] | None:
    """Returns the table in which most bytes were read from a file, and the file's row there; None
    if clearly fewer than `least` bytes were read. number: the file's id. timed: tables, each with
    the row of each file and the seconds per file."""
    at = [(table, rows[number]) for table, rows, _ in timed if number in rows]
    found = max(at, key=lambda row: int(row[0]["BYTES_READ"][row[1]]), default=None)
    if found is None or found[0]["BYTES_READ"][found[1]] < _EVEN * least:
        return None
    return found


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most two findings: on files that are written whole again and again, in place or as
    new files that are then renamed; and on such files that are also read whole each time."""
    found = files(facts)
    for name, some, tell in (
        (NAME, [one for one in found if not one.read], _saved),
        (EDITED, [one for one in found if one.read], _edited),
    ):
        lost = sum(one.lost for one in some)
        aside = between(facts, name, lost)
        stake = facts.stake(
            lost,
            "time in opening, writing and closing these files"
            f"{', and in reading them,' if name == EDITED else ','} without the last version of "
            f"each{aside.basis}",
            between=aside.seconds,
        )
        if some and facts.worth(stake):
            yield tell(facts, some, stake, f"{facts.over_all}.{aside.sentence}")


def _more(found: Sequence[Rewritten]) -> str:
    """Returns text on the number of further files; "" if there are none. found: all files."""
    return f"; the same holds for {plural(len(found) - 1, 'more file')}" if len(found) > 1 else ""


def _saved(facts: Facts, found: Sequence[Rewritten], stake: Stake, ending: str) -> Finding:
    """Returns the finding on files that a program saves too often. found: the files, costliest
    first; stake: the potential saving; ending: sentences to add."""
    first = found[0]
    lost = sum(one.lost for one in found)
    about = "" if first.times == int(first.times) else "about "
    library = next((known for one in first.ids if (known := saved_through(facts, one))), None)
    return Finding(
        NAME,
        "A file is written whole again and again",
        f"{first.name} was written whole {about}{count(round(first.times))} times"
        + (", each time as a new file that was renamed to it" if first.renamed else "")
        + f": {amount(first.written)} for a file of {amount(first.size)}"
        + f"{_more(found)}. That took {seconds(lost)}{ending}",
        stake=stake,
        evidence=first.evidence,
        remedy=library
        or Remedy(
            "Write only new data: append them to a file that stays open. Or save the whole file "
            "less "
            "often: once per checkpoint, once a minute, or once at the end. Open once and "
            "overwrite the old state if it is small and a crash may lose it.",
            'C: fprintf(stream, format, record);  // opened once with "a", a line per record\n'
            "Python: file.write(json.dumps(record) + '\\n')  # opened once with 'a'\n"
            "Python: if now - saved >= 60: save(state); saved = now\n"
            "Perl: print $file $line;  # opened once with '>>', a line per record\n"
            'shell: echo "$line" >> file  # a line per record, not the whole state',
            alone=True,
        ),
        limits=("opens.again", "again.factor", "stream.buffer", "files.small"),
        covers=frozenset().union(*(one.ids for one in found)),
    )


def _times(one: Rewritten) -> str:
    """Returns text on how often a file was read and written whole: an exact number if each version
    has the same size and was opened for one of both, otherwise a lower bound by its bytes."""
    least = round(min(one.read, one.written) / one.size)
    kept = abs(least - one.times) <= max(1.0, _ROUNDING * one.times)
    renamed = ", each time as a new file that was renamed to it" if one.renamed else ""
    if kept:
        return f"{count(one.times)} times{renamed}, and kept its size of {amount(one.size)}"
    return f"at least {count(least)} times{renamed} (its size was at most {amount(one.size)})"


def _edited(facts: Facts, found: Sequence[Rewritten], stake: Stake, ending: str) -> Finding:
    """Returns the finding on files that are read whole and written whole to change a part. found:
    the files, costliest first; stake: the potential saving; ending: sentences to add."""
    first = found[0]
    lost = sum(one.lost for one in found)
    return Finding(
        EDITED,
        "A whole file is read and written for each change of it",
        f"{first.name} was read whole and written whole {_times(first)}: "
        f"{amount(first.read)} were read and {amount(first.written)} written{_more(found)}. That "
        f"took {seconds(lost)}{ending} The log does not have the contents, so it does not show "
        "how many bytes changed, or whether any did.",
        stake=stake,
        evidence=first.evidence,
        remedy=Remedy(
            "Write only the bytes that change, at their place in the file; or make all changes in "
            "memory and write the file once. If the data may be unchanged, compare it first, "
            "and do not write it again.",
            "C: pwrite(fd, record, sizeof record, number * sizeof record)\n"
            "C++: std::fstream file(path, std::ios::in | std::ios::out);  file.seekp(at)\n"
            "Fortran: open(unit, file=path, access='direct', recl=size);  write(unit, rec=n) x\n"
            "Rust: file.write_all_at(&record, at)  // FileExt; OpenOptions::new().write(true)\n"
            "Python: file = open(path, 'r+b');  file.seek(at);  file.write(record)\n"
            'Java: RandomAccessFile file = new RandomAccessFile(path, "rw");  file.seek(at)\n'
            "Perl: open(my $file, '+<', $path);  seek($file, $at, 0);  print $file $record\n"
            "shell: sed -i -e 's/a/b/' -e 's/c/d/' file  # all changes in one call",
            alone=True,
        ),
        limits=("opens.again", "again.factor", "stream.buffer", "files.small"),
        covers=frozenset().union(*(one.ids for one in found)),
    )
