"""Remedies in the words of the library that made the calls: for files that are opened or written
whole again and again, for flushes, and for seeks.

A row of a table is for library functions that the user's line calls; a row about opens is either
for files that the program reads or for files that it writes. Without a matching row, or without
call sites, the rule's own remedy is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ...call_sites.lines import sites_of
from ...call_sites.measured import OPEN, READ, SEEK, SYNC, WRITE
from ...call_sites.told import library_call
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts
from ..finding import Remedy
from ..times.loops import loops_of


@dataclass(frozen=True)
class _Row:
    """A library function (a pattern for its name), and the code that should replace it."""

    function: str
    writes: bool  # the row is for files that the program writes; else for files that it reads
    text: str
    example: str


TABLE_ONCE = Remedy(
    "Read the table once, before the loop, and select from it in memory. If it does not fit into "
    "memory, read it once in pieces: with skiprows the library parses all rows before the piece "
    "again.",
    "Python: table = pandas.read_csv(path)  # before the loop\n"
    "Python: for piece in pandas.read_csv(path, chunksize=100_000): ...  # not skiprows, nrows",
    alone=True,
)
_TAR_APPENDED = (
    "Open the archive once, before the loop, and add all files to it: an open for appending reads "
    "the headers of all members, to find the end.",
    "Python: archive = tarfile.open(path, 'w')  # or 'a', before the loop\n"
    "Python: archive.add(name)  # in the loop;  archive.close() after it",
)
_OPENED = (
    _Row(
        r"zipfile\.",
        False,
        "Open the archive once: each open reads and parses the list of all its members.",
        "Python: archive = zipfile.ZipFile(path)  # before the loop\n"
        "Python: data = archive.read(name)  # in the loop",
    ),
    _Row(
        r"zipfile\.",
        True,
        "Open the archive once and add all members to it: each open reads the list of its members, "
        "and each close writes the list again.",
        "Python: archive = zipfile.ZipFile(path, 'a')  # before the loop\n"
        "Python: archive.writestr(name, data)  # in the loop",
    ),
    _Row(r"tarfile\.", True, *_TAR_APPENDED),
    _Row(
        r"tarfile\.",
        False,
        "Open the archive once, and take its members in their order: an archive without an index "
        "is read from its start up to the member.",
        "Python: for member in tarfile.open(path): ...  # all members, one after the other",
    ),
    _Row(
        r"pandas\.(?:\w+\.)*read_",
        False,
        TABLE_ONCE.text,
        TABLE_ONCE.example,
    ),
    _Row(
        r"pandas\.(?:\w+\.)*to_csv",
        True,
        "Open the file once and let pandas write to the open file, or collect the rows and write "
        "them with one call.",
        "Python: file = open(path, 'a', newline='')  # before the loop\n"
        "Python: table.to_csv(file, header=False)  # in the loop",
    ),
    _Row(
        r"xarray\.(?:\w+\.)*open_",
        False,
        "Open the data set once, before the loop.",
        "Python: data = xarray.open_dataset(path)  # before the loop",
    ),
    _Row(
        r"numpy\.(?:\w+\.)*(?:load|loadtxt|genfromtxt|fromfile)\b",
        False,
        "Load the array once, before the loop, and keep it.",
        "Python: data = numpy.load(path)  # before the loop",
    ),
    _Row(
        r"(?:json|pickle|yaml|tomllib|tomli|configparser|xml)\.",
        False,
        "Parse the file once, before the loop, and keep the result: each open parses all of it.",
        "Python: data = json.load(file)  # before the loop",
    ),
)


_SAVED_WHOLE = (
    _Row(
        r"numpy\.(?:\w+\.)*save",
        True,
        "Keep the pieces in a list and save one array at the end, or save the whole file less "
        "often; or append to a file that grows: an HDF5 data set that can be resized, or a file of "
        "raw values.",
        "Python: pieces.append(piece)  # in the loop\n"
        "Python: numpy.save(path, numpy.concatenate(pieces))  # once, after it\n"
        "Python: with open(path, 'ab') as file: piece.tofile(file)  # or: only the new values",
    ),
    _Row(
        r"(?:pandas|pyarrow|polars)\.",
        True,
        "Keep the rows in a list and write one table at the end, or save the whole file less "
        "often; or write a file for each piece into one folder: readers take the folder as one "
        "table.",
        "Python: pieces.append(piece)  # in the loop\n"
        "Python: pandas.concat(pieces).to_parquet(path)  # once, after it\n"
        "Python: piece.to_parquet(folder / f'part-{n}.parquet')  # or: only the new rows",
    ),
    _Row(
        r"(?:pickle|_pickle|joblib|shelve|dill|cloudpickle|Storable)\b",
        True,
        "Append the new objects to a file that stays open, one record after the other; or save the "
        "whole state less often: once per checkpoint, once a minute, or once at the end.",
        "Python: pickle.dump(item, file)  # file: opened once with 'ab'; read by a loop of load\n"
        "Perl: if (time - $saved >= 60) { store(\\%state, $path); $saved = time }",
    ),
)
_SEEKING = (
    # An open for reading seeks only once or twice.
    _Row(r"tarfile\.(?:TarFile\.)?open$", True, *_TAR_APPENDED),
    _Row(
        r"Tie::File::",
        False,
        "Tie::File seeks to each line that the program asks for, and each seek throws away what "
        "was read ahead. Read the lines in their order without it; for lines in any order, read "
        "all of them into an array once.",
        "Perl: while (my $line = <$file>) { ... }  # one pass, without tie\n"
        "Perl: my @lines = <$file>;  # once, then $lines[$n]",
    ),
    _Row(
        r"Search::Dict::",
        False,
        "Search::Dict seeks and reads a block for each step of each search: read the words into a "
        "hash once, if the program looks for many.",
        "Perl: my %known = map { chomp; $_ => 1 } <$file>;  # once;  exists $known{$word}",
    ),
    _Row(
        r"mailbox\.",
        False,
        "mailbox seeks to each message that the program asks for: go through the messages once, in "
        "their order, and keep what is needed of each.",
        "Python: for message in mailbox.mbox(path): ...  # once",
    ),
)
_FLUSHED = (
    _Row(
        r"pandas\.(?:\w+\.)*(?:HDFStore\.|to_hdf)",
        True,
        "pandas flushes the table and extends its index with each append: collect the pieces in a "
        "list and append them with one call, or in pieces of many thousand rows. If each piece "
        "must be safe at once, leave the index to the end.",
        "Python: store.append('key', pandas.concat(pieces))  # once, not frame by frame\n"
        "Python: store.append('key', frame, index=False)  # in the loop\n"
        "Python: store.create_table_index('key')  # once, after the loop",
    ),
)
# Functions that only hand a call of the program on.
_HANDED_ON = re.compile(r"IO::|io\.|_pyio\.|codecs\.|gzip\.|tempfile\.")


def seeks_through(facts: Facts, record: int) -> Remedy | None:
    """Returns the remedy for a file (a record's id) in which a library seeks, so that the program
    itself has no seek that it could leave out; None for the general one."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    some = [s for s in sites if s.sums.calls_of[SEEK] > 0 and record in s.sums.files.calls]
    if not some:
        return None
    most = max(some, key=lambda site: site.sums.calls_of[SEEK])
    called = library_call(most)
    for row in _SEEKING:
        if re.match(row.function, called):
            return Remedy(row.text, row.example, alone=True)
    # Libraries of compiled languages hand the program's own seeks on.
    is_script = most.user > 0 and not most.places[most.user - 1].object
    if not called or not is_script or _HANDED_ON.match(called):
        return None
    return Remedy(
        f"{called} seeks, not the program itself: ask it for what lies together in the file, in "
        "the order of the file, or read the file once and keep in memory what is used again.",
        alone=True,
    )


def opened_through(facts: Facts, record: int, *, writes: bool) -> Remedy | None:
    """Returns the remedy for a file (a record's id) that a library opens again and again; None if
    the general remedy applies. writes: whether the program writes the file more than once."""
    called = (_caller(facts, record, kind) for kind in (OPEN, READ))  # a library may only read
    name = next((name for name in called if name is not None), "")
    return _fitting((row for row in _OPENED if row.writes == writes), name)


def saved_through(facts: Facts, record: int) -> Remedy | None:
    """Returns the remedy for a file (a record's id) that a library writes whole again and again;
    None if the general remedy applies."""
    return _fitting(_SAVED_WHOLE, _caller(facts, record, WRITE) or "")


def flushed_through(facts: Facts, record: int) -> tuple[Remedy, float] | None:
    """Returns the remedy for a file (a record's id) that a library flushes again and again, and the
    seconds between the calls that the library makes each time; None if the general remedy
    applies."""
    called = _caller(facts, record, SYNC) or ""
    known, remedy = loops_of(facts), _fitting(_FLUSHED, called)
    if known is None or remedy is None:
        return None
    sites = [site for loop in known.groups for site in loop.sites if library_call(site) == called]
    gaps = sum(site.sums.shown_gaps for site in sites) * known.overlap
    return replace(remedy, alone=False), gaps


def _caller(facts: Facts, record: int, kind: int) -> str | None:
    """Returns the library function that made most calls of a kind on a file, "numpy.save", or an
    empty string if the program made them itself; None if there were none, or no call sites. record:
    id of the file. kind: OPEN, READ, WRITE or SYNC."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    some = [s for s in sites if s.sums.calls_of[kind] > 0 and record in s.sums.files.calls]
    return library_call(max(some, key=lambda site: site.sums.calls_of[kind])) if some else None


def _fitting(rows: Iterable[_Row], called: str) -> Remedy | None:
    """Returns the remedy of the first row for this library function; None if no row is for it."""
    row = next((row for row in rows if re.match(row.function, called)), None)
    return Remedy(row.text, row.example, alone=True) if row else None
