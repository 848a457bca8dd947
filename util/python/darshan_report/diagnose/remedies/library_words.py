"""Remedies for files that are opened again and again, in the terms of the library that opened them.
A row of the table is for library functions that the user's line calls, either for files that the
program reads or for files that it writes. Without a matching row, or without call sites, the rule's
own remedy is used.
"""

from __future__ import annotations

import re

from ...call_sites.lines import sites_of
from ...call_sites.measured import OPEN, READ
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
