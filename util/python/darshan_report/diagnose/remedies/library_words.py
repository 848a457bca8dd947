"""Remedies in the words of the library that made the calls: for files that are opened again and
again, and for seeks.

A row of a table is for library functions that the user's line calls; a row about opens is either
for files that the program reads or for files that it writes. Without a matching row, or without
call sites, the rule's own remedy is used.
"""

from __future__ import annotations

import re

from ...call_sites.lines import sites_of
from ...call_sites.measured import OPEN, READ, SEEK
from ...call_sites.told import library_call
from ...classes import dataclass
from ...library import LogError
from ..facts import Facts
from ..finding import Remedy


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


_SEEKING = (
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
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    for kind in (OPEN, READ):  # the program may open a file that a library reads
        some = [s for s in sites if s.sums.calls_of[kind] > 0 and record in s.sums.files.calls]
        if some:
            called = library_call(max(some, key=lambda site: site.sums.calls_of[kind]))
            fitting = (r for r in _OPENED if r.writes == writes and re.match(r.function, called))
            if row := next(fitting, None):
                return Remedy(row.text, row.example, alone=True)
    return None
