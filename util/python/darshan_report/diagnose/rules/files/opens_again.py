"""The same file is opened and closed, or queried with stat or access, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....checkpoints.saves import state_ids
from ....records import among, in_both
from ....units import amount, count, plural, seconds
from ...accesses import rotations
from ...accesses.of_streams import of_streams
from ...facts import Facts, leading
from ...finding import SYMPTOM, Evidence, Finding, Remedy
from ...programs.parsing import is_parsed
from ...programs.sqlite import databases, is_kept_by_sqlite
from ...reached import CALLS, at_most
from ...remedies.advice import SEARCH_EXAMPLE, SEARCH_ONCE, TIMES_EXAMPLE
from ...remedies.language import READ_ONCE
from ...remedies.library_words import opened_through
from ...table import Table, added
from ...times.loops import ITEMS, ROUNDS, between
from ...times.naming import naming_times
from ..accesses import reread

NAME = "opened-again"
ROLE = SYMPTOM
_ONCE = """\
C: FILE *file = fopen(path, "a");  before the loop, fclose(file);  after it
C++: std::ofstream out(path, std::ios::app);  before the loop
Fortran: open(newunit=unit, file=path)  before the loop, close(unit)  after it
Rust: let mut file = File::options().append(true).open(path)?;  before the loop
Go: file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)  before the loop
Python: with open(path) as f: outside of the loop;  h5py.File once, not per record
Perl: open(my $out, '>>', $path);  before the loop, close($out);  after it
awk: no close(path) after each line: awk keeps a file open until then
Java: try (var out = Files.newBufferedWriter(path)) { the whole loop }
shell: done >> out.txt  # after the loop, not >> out.txt after each command in it
R: out <- file(path, "a") before the loop;  writeLines(line, out), not cat(append = TRUE)"""
_AGAIN = 4  # fewest times that the same bytes are moved
# Smallest share of these bytes that one open moves on average. A growing file has half its final
# size on average. A program that looks for a line reads only up to this line, if no process writes
# the file.
_WHOLE, _FOUND = {"WRITTEN": 0.25, "READ": 0.8}, 0.25
# Logs of Darshan 3.5.0, and writes of a shell or a stream, do not show whether each open began at
# the start of the file or at its end.
_STATE_OR_LIST = Remedy(
    "Open once and keep the descriptor if the program appends to the file. If each open writes a "
    "new state over the old one, write it less often, such as every few seconds or once at the "
    "end, and keep new data in memory until then; or open once and seek back to the same offset "
    "for each write.",
    'C: if (n % 100 == 0) save();  // a state;  a list: fopen(path, "a") before the loop\n'
    "Python: if n % 100 == 0: save()  # a state;  a list: open(path, 'a') before the loop\n"
    "Perl: save() if $n % 100 == 0;  # a state;  a list: open($out, '>>', $path) before the loop\n"
    "shell: (( n % 100 )) || echo $n > state  # a state;  a list: done >> list, after the loop",
    alone=True,
)
_WAITING = (
    " A program that waits for a change should look less often, with a sleep in between, or use "
    "inotify."
)
_ASKED = Remedy(
    "Query once and keep the result.",
    "C: struct stat known;  stat(path, &known);  before the loop\n"
    "C++: auto time = std::filesystem::last_write_time(path);  before the loop\n"
    "Rust: let known = std::fs::metadata(path)?;  before the loop\n"
    "Go: known, err := os.Stat(path)  before the loop\n"
    "Python: known = os.stat(path)  # before the loop\n"
    "Java: var time = Files.getLastModifiedTime(path);  before the loop\n"
    "R: known <- file.info(path)  before the loop\n"
    "Perl: my @known = stat($path);  before the loop",
    alone=True,
)
_SEARCHED = Remedy(f"{SEARCH_ONCE[0].upper()}{SEARCH_ONCE[1:]}.", SEARCH_EXAMPLE, alone=True)
# stat succeeded: the program may need more of a file than whether it is there.
_TIMES = Remedy(
    "Ask about each file once and remember the answers, such as the times and sizes of all files "
    "of a folder; begin a search for the next free number at the last one.",
    TIMES_EXAMPLE,
    alone=True,
)
_MAPPED = Remedy(
    "Map the file once, before the loop, and keep the mapping: each new mapping begins without "
    "pages, and each access to a page of it costs a page fault.",
    "C: map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);  before the loop\n"
    "C++: auto map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);  before the loop\n"
    "Rust: let map = unsafe { memmap2::Mmap::map(&file)? };  before the loop\n"
    "Python: array = numpy.memmap(path, mode='r')  # before the loop\n"
    "Java: var map = channel.map(FileChannel.MapMode.READ_ONLY, 0, size);  before the loop",
)
_OFTEN_MAPPED = 0.5  # fewest mappings per open
_FEW = 4  # largest number of files that a program may be waiting for
_MANY = 100  # number of files from which on a program searches, and does not query certain files
_OTHERS = ("TRUNCATES", "UNLINKS", "LINKS", "SETATTRS", "MISSES", "RENAMES")
_CALLS = 10  # most writes per open that are one to the user, such as the lines of a small file
_MORE = 1.5  # queries per open; more than a library makes when it opens a file
_PARSING = 5e-5  # seconds for each open, more than an interpreter takes to open and read a file
_LIGHTER = 20  # number of seeks that cost as much as one open or stat


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if the same files are opened by POSIX calls, or queried with stat or access,
    again and again; and another for streams that are opened again and again; otherwise nothing."""
    for module in ("POSIX", "STDIO"):
        if (table := facts.table(module)) is not None:
            yield from _find(facts, table)


def _how_often(table: Table, place: int, opens: np.ndarray, stats: np.ndarray) -> str:
    """Returns text on how often all processes together opened, mapped and queried a file. It leaves
    out queries that many libraries make for each open. place: row of the file. opens, stats: mean
    numbers of a process, for each file."""
    users = int(table.processes[place])
    asked = float(stats[place]) if stats[place] > _MORE * opens[place] else 0.0
    mapped = float(table["MMAPS"][place]) if table.has("MMAPS") else 0.0
    if 2 * mapped > users * asked:  # a library queries the size of each file that it maps
        asked = 0.0
    said = (
        ("opened", users * float(opens[place])),
        ("mapped", mapped if mapped > _MORE * users * float(opens[place]) else 0.0),
        ("queried", users * asked),
    )
    words = [f"{word} {plural(round(times), 'time')}" for word, times in said if round(times) > 0]
    often = " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
    return often + (f" by {count(users)} processes" if users > 1 else "")


def _beside(table: Table, place: int) -> list[str]:
    """Returns the names of the counters above 0 that are evidence beside OPENS: FILENOS, DUPS and
    FDOPENS, which OPENS includes, and STATS and MMAPS. place: row of the file."""
    names = ("FILENOS", "DUPS", "FDOPENS", "STATS", "MMAPS")
    return [name for name in names if table.has(name) and table[name][place] > 0]


def _find(facts: Facts, table: Table) -> Iterator[Finding]:
    """Yields the finding on the files of one layer that are opened, or queried, again and again."""
    opens = facts.opens(table) / table.processes
    asks, asking = _asks(facts, table)
    stats = asks / table.processes
    mask = (opens > facts.limits["opens.again"]) | (stats > facts.limits["stats.again"])
    mask &= facts.single(table)
    mask &= 2 * facts.renamed_away(table) < facts.opens(table) + asks
    if mask.any():  # a checkpoint is a new file each time
        mask &= ~among(table.ids, rotations.ids(facts))
        mask &= ~among(table.ids, state_ids(facts))
    # SQLite queries its database file in each transaction.
    for place in np.flatnonzero(mask & (opens <= facts.limits["opens.again"])).tolist():
        mask[place] = facts.name(table.ids[place]) not in databases(facts)
    # SQLite opens a journal for each transaction; many writes each cost more than the opens.
    for place in np.flatnonzero(mask & (table["WRITES"] > _CALLS * facts.opens(table))).tolist():
        mask[place] = not is_kept_by_sqlite(facts, facts.name(table.ids[place]))
    if not mask.any():
        return
    again = np.maximum(0, opens - 1) + np.maximum(0, stats - 1)
    part = again / np.maximum(opens + stats, 1)
    # The metadata time contains seeks, which do not reach the file system.
    calls = facts.opens(table) + asks
    part = part * calls / np.maximum(calls + table["SEEKS"] / _LIGHTER, 1)
    time = np.where(mask, (naming_times(facts, table) + asking) * part, 0.0)
    asked = float(stats[mask].sum()) > float(opens[mask].sum())
    removed = ITEMS if _has_its_own(facts, table, mask, time) else ROUNDS
    more = between(facts, NAME, float(time.sum()), removed, instead=asked)
    stake = facts.stake(
        time.sum(), f"metadata time of the repeated calls{more.basis}", between=more.seconds
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, time, len(mask))
    yield Finding(
        NAME,
        _title(
            facts,
            table,
            first,
            opens,
            len(others),
            each=stake.between / float((opens * table.processes)[mask].sum() or 1)
            if 2 * stake.between > stake.seconds
            else 0.0,
        ),
        f"{facts.name(table.ids[first])} was {_how_often(table, first, opens, stats)}"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". That took {seconds(float(time.sum()))}{facts.over_all}.{more.sentence}"
        + _in_total(facts, int(table.ids[first]), float(opens[first] * table.processes[first])),
        stake=stake,
        evidence=facts.rows(table, first, "OPENS", *_beside(table, first), "F_META_TIME")
        + _asked_rows(facts, table, first),
        remedy=_opened(facts, table, first, opens, stats)
        if opens[first] > facts.limits["opens.again"]
        else _MAPPED
        if _is_mapped(facts, table, first)
        else _asked(len(others) + 1, by_stat=2 * table["STATS"][mask].sum() > asks[mask].sum()),
        limits=("opens.again", "stats.again"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _has_its_own(facts: Facts, table: Table, mask: np.ndarray, time: np.ndarray) -> bool:
    """Returns whether the finding about repeated reads of these files has the time between their
    calls. If the first file is parsed at each opening, this finding has it, too: it says so in its
    title. mask: of the files. time: of each, in seconds."""
    ids = set(table.ids[mask].tolist())
    if not any(finding.covers & ids for finding in facts.found(reread.find)):
        return False
    record = int(table.ids[leading(mask, time, 1)[0]])
    return not (is_parsed(facts.name(record)) or opened_through(facts, record, writes=False))


def _asks(facts: Facts, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each file, how often all processes queried it (stat, access), without the
    queries that streams make; and the seconds of those queries that the table's own times do not
    contain."""
    asks, asking = _without_streams(facts, table), np.zeros(len(table.ids))
    extra = facts.table("POSIX_EXT") if table.prefix == "POSIX" else None
    if extra is not None and extra["ACCESSES"].max(initial=0) > facts.limits["stats.again"]:
        here, there = in_both(table.ids, extra.ids)
        number = extra["ACCESSES"][there]
        asks = np.array(asks)
        asks[here] += number
        # The time includes all calls of the other table, most of which are these queries.
        mostly = number > added([extra[name] for name in _OTHERS])[there]
        asking[here] = np.where(mostly, extra["F_META_TIME"][there], 0.0)
    return asks, asking


def _without_streams(facts: Facts, table: Table) -> np.ndarray:
    """Returns, for each file, the number of its stat calls, without those that streams of a
    language (such as Python's open) make beside their reads and writes."""
    asks: np.ndarray = table["STATS"]
    if table.prefix != "POSIX" or asks.max(initial=0) <= facts.limits["stats.again"]:
        return asks
    own = of_streams(facts)
    left = np.array(asks, "f8")
    for place, number in enumerate(table.ids.tolist()):
        known = own.named[number]
        left[place] -= min(left[place], known) if known else left[place] * own.others
    return left


def _asked_rows(facts: Facts, table: Table, place: int) -> tuple[Evidence, ...]:
    """Returns the number and the time of access calls on a file as evidence, if they are more than
    its stat calls; otherwise (). place: row of the file."""
    extra = facts.table("POSIX_EXT")
    row = None if extra is None or table.prefix != "POSIX" else extra.place(int(table.ids[place]))
    if extra is None or row is None or extra["ACCESSES"][row] <= table["STATS"][place]:
        return ()
    return facts.rows(extra, row, "ACCESSES", "F_META_TIME")


def _title(
    facts: Facts, table: Table, place: int, opens: np.ndarray, others: int, *, each: float
) -> str:
    """Returns the title of the finding, by its first file. place: its row. opens: mean opens of a
    process, for each file. others: number of further files. each: seconds between the calls for
    each open, if most of the finding's cost lies there; else 0."""
    whole = float(opens[place] * table.processes[place])
    files = "Files are" if others else "A file is"
    if _is_again(facts, int(table.ids[place]), "WRITTEN", whole):
        writes = float(table["WRITES"][place])
        often = "opened for each write" if writes <= _CALLS * whole else "rewritten at each opening"
        return f"{files} {often}"
    if _is_mapped(facts, table, place):
        opened = "opened and " if opens[place] > facts.limits["opens.again"] else ""
        return f"{files} {opened}mapped again and again"
    if opens[place] <= facts.limits["opens.again"]:
        return "The program asks about the same files again and again"
    reads = bool(table["BYTES_READ"][place] >= 2 * table["BYTES_WRITTEN"][place])
    record = int(table.ids[place])
    if each > 0 and reads:
        through = opened_through(facts, record, writes=False)
        again = _is_again(facts, record, "READ", whole)
        if through or (again and (each >= _PARSING or is_parsed(facts.name(record)))):
            return f"{files} opened and parsed again and again"
        if again:
            return f"{files} opened and read again and again"
    return "Files are opened or checked again and again"


def _is_mapped(facts: Facts, table: Table, place: int) -> bool:
    """Returns whether most opens of a file are to map it. place: row of the file."""
    number = float(table["MMAPS"][place])
    return number > 0 and number >= _OFTEN_MAPPED * float(facts.opens(table)[place])


def _asked(files: int, *, by_stat: bool) -> Remedy:
    """Returns the remedy for repeated queries of this many files. by_stat: most of them were stat,
    not access. A program that queries a few files may wait for them; a program that queries many
    may look for the newest, or compare them."""
    if files > _MANY:
        return _TIMES if by_stat else _SEARCHED
    if files > _FEW:
        return _ASKED
    return replace(_ASKED, text=_ASKED.text + _WAITING)


def _moved(facts: Facts, record: int, direction: str, streams: bool) -> tuple[int, int]:
    """Returns the bytes that were READ from a file, or WRITTEN to it (direction), and a lower bound
    of its size. record: id of the file. streams: also count bytes of streams, which may have been
    appended."""
    moved, size = 0, 0
    for module in ("POSIX", "STDIO") if streams else ("POSIX",):
        table = facts.table(module)
        place = None if table is None else table.place(record)
        if table is not None and place is not None:
            # Bytes at unknown offsets, such as appended bytes.
            unplaced = float(facts.unplaced(table, direction)[place])
            moved += max(0, int(table[f"BYTES_{direction}"][place]) - int(unplaced))
            size = max(size, int(table[f"MAX_BYTE_{direction}"][place]) + 1)
    return moved, size


def _is_again(
    facts: Facts, record: int, direction: str, opens: float, *, streams: bool = False
) -> bool:
    """Returns whether most opens of a file read, or write, the same bytes again. record: id of the
    file. direction: READ or WRITTEN. opens: of all processes. streams: also count bytes that a
    stream wrote, perhaps at the end of the file."""
    moved, size = _moved(facts, record, direction, streams or direction == "READ")
    whole, least = opens * size, _WHOLE[direction]
    if direction == "READ" and not _moved(facts, record, "WRITTEN", streams=True)[0]:
        least = _FOUND
    return size > 1 and max(_AGAIN * size, least * whole) <= moved <= 2 * whole


def _in_total(facts: Facts, record: int, opens: float) -> str:
    """Returns a sentence, with a space before it, on the bytes that all opens moved; "" if these
    are not mostly the same bytes. record: id of the file. opens: of all processes."""
    for direction, words in (
        ("WRITTEN", "wrote the same {size} again, or appended as many"),
        ("READ", "read the same place again, of {size}"),
    ):
        if _is_again(facts, record, direction, opens):
            moved, size = _moved(facts, record, direction, direction == "READ")
            return f" Most opens {words.format(size=amount(size))}: {amount(moved)} in total."
    return ""


def _opened(facts: Facts, table: Table, place: int, opens: np.ndarray, stats: np.ndarray) -> Remedy:
    """Returns the remedy for a file that is opened again and again; it uses the terms of the
    library that opens the file, if call sites show it. A file that is removed as often as it is
    opened is treated as a lock. place: row of the file. opens, stats: mean numbers of a process,
    for each file."""
    record, whole = int(table.ids[place]), float(opens[place] * table.processes[place])
    if _is_again(facts, record, "WRITTEN", whole):
        return _STATE_OR_LIST
    writes = bool(2 * table["BYTES_WRITTEN"][place] > table["BYTES_READ"][place])
    if words := opened_through(facts, record, writes=writes):
        return words
    if _is_mapped(facts, table, place):
        return _MAPPED
    if _is_again(facts, record, "READ", whole):
        text = "Read it once, before the loop, and keep its values in memory."
        return Remedy(text, READ_ONCE, alone=True)
    if _is_again(facts, record, "WRITTEN", whole, streams=True):
        return _STATE_OR_LIST
    text = "Open once and keep the descriptor"
    if stats[place] > max(facts.limits["stats.again"], _MORE * float(opens[place])):
        text += "; check once and remember the result"
    extra = facts.table("POSIX_EXT")
    row = None if extra is None else extra.place(int(table.ids[place]))
    if extra is not None and row is not None:
        removed = float(extra["UNLINKS"][row]) / max(1, int(extra.processes[row]))
        if 2 * removed >= opens[place]:
            text += "; lock a range of an open file with fcntl instead of creating a lock file"
    return Remedy(f"{text}.", _ONCE, alone=True)
