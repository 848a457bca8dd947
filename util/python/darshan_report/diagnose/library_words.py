"""Remedies for files that are opened again and again, in the words of the library that opened them.

A row of the table is for one library function that the user's line calls. Without a row, or without
call sites, the rule's own words stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..call_sites.lines import sites_of
from ..call_sites.measured import OPEN
from ..call_sites.told import library_call
from ..library import LogError
from .facts import Facts
from .finding import Remedy


@dataclass(frozen=True)
class _Row:
    """A library function, by the start of its name, and what to write instead."""

    function: str
    text: str
    example: str


_OPENED = (
    _Row(
        "zipfile.",
        "Open the archive once: each open reads and parses the list of all its members.",
        "Python: archive = zipfile.ZipFile(path)  # before the loop\n"
        "Python: data = archive.read(name)  # in the loop",
    ),
    _Row(
        "tarfile.",
        "Open the archive once, and take its members in their order: an archive without an index "
        "is read from its start up to the member.",
        "Python: for member in tarfile.open(path): ...  # all members, one after the other",
    ),
    _Row(
        "pandas.",
        "Read the table once, before the loop, and select from it in memory.",
        "Python: table = pandas.read_csv(path)  # before the loop",
    ),
    _Row(
        "xarray.",
        "Open the data set once, before the loop.",
        "Python: data = xarray.open_dataset(path)  # before the loop",
    ),
    _Row(
        "numpy.",
        "Load the array once, before the loop, and keep it.",
        "Python: data = numpy.load(path)  # before the loop",
    ),
)


def opened_through(facts: Facts, record: int) -> Remedy | None:
    """Returns the remedy for a file (a record's id) that a library opens again and again; None for
    the general one."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    opening = [s for s in sites if s.sums.calls_of[OPEN] > 0 and record in s.sums.files.calls]
    if not opening:
        return None
    called = library_call(max(opening, key=lambda site: site.sums.calls_of[OPEN]))
    row = next((row for row in _OPENED if called.startswith(row.function)), None)
    return None if row is None else Remedy(row.text, row.example)
