"""Seeks take much of the time: the program queries or sets the offset far more often than it reads
or writes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import count, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import languages
from ...remedies.library_words import seeks_through
from ...table import Table
from ...times.loops import Between, between
from ...times.naming import naming_times

NAME = "seeks"
ROLE = CAUSE
_TELL = (
    " In Python, tell() asks the kernel each time, and in a file that is open for text it decodes "
    "what was read ahead once more: open the file for bytes and add up the lengths of the lines."
)
_ASKS = 8  # seeks per open: more than open() of Python makes itself
_LIGHTER = 20  # number of seeks that cost as much as one open or stat


def seconds_in(facts: Facts, table: Table) -> np.ndarray:
    """Returns an estimate of the seconds in seeks, per POSIX file: the metadata time, in proportion
    to the seeks among the metadata calls."""
    others = facts.opens(table) + table["STATS"]
    part = table["SEEKS"] / np.maximum(table["SEEKS"] + _LIGHTER * others, 1)
    found: np.ndarray = naming_times(facts, table) * part
    return found


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over all files with many more seeks than transfers, if the seeks take much
    time; otherwise nothing."""
    table = facts.table("POSIX")
    if table is None:
        return
    calls = table["READS"] + table["WRITES"]
    mask = (table["SEEKS"] > facts.limits["seeks.many"]) & (table["SEEKS"] > 2 * calls)
    if not mask.any():
        return
    time = np.where(mask, seconds_in(facts, table), 0.0)
    # The time before a call of tell() in Python contains what tell() does.
    in_python = languages(facts, "") == {"Python"}
    asks = in_python and bool(table["SEEKS"][mask].sum() > _ASKS * facts.opens(table)[mask].sum())
    more = between(facts, NAME, float(time.sum())) if asks else Between()
    stake = facts.stake(
        float(time.sum()), f"metadata time of the seeks{more.basis}", between=more.seconds
    )
    if not facts.worth(stake):
        return
    (first,) = leading(mask, time, 1)
    yield Finding(
        NAME,
        "Seeks take much of the time",
        f"{facts.name(table.ids[first])} has {count(float(table['SEEKS'][first]))} "
        f"calls of lseek and {count(float(calls[first])) if calls[first] else 'no'} reads and "
        f"writes by POSIX calls; seeks took {seconds(float(time.sum()))}{facts.over_all}."
        f"{more.sentence}",
        stake=stake,
        evidence=facts.rows(table, first, "SEEKS", "READS", "WRITES", "F_META_TIME"),
        remedy=seeks_through(facts, int(table.ids[first])) or _remedy(facts),
        limits=("seeks.many",),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _remedy(facts: Facts) -> Remedy:
    """Returns the remedy for seeks that the program itself makes."""
    return Remedy(
        "Keep the position in a variable and pass it to the transfer: pread and pwrite need no "
        "lseek." + (_TELL if languages(facts, "") == {"Python"} else ""),
        "C: pread(fd, buffer, size, offset);  pwrite(fd, buffer, size, offset)\n"
        "Rust: file.read_at(&mut buffer, offset)?;\n"
        "Go: file.ReadAt(buffer, offset)\n"
        "Python: at += len(line)  # of a file opened with 'rb'; not file.tell()\n"
        "Python: os.pread(fd, size, offset)\n"
        "Perl: sysseek($file, $at, 0);  sysread($file, $record, $size)  # one lseek, not four\n"
        "Ruby: file.pread(size, offset)\n"
        "Node: fs.readSync(fd, buffer, 0, size, offset)\n"
        "Java: channel.read(buffer, offset)",
    )
