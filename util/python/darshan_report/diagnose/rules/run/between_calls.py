"""A library, or the runtime of a language, takes much of the run's time between the I/O calls of a
loop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ....call_sites.lines import Line, Site
from ....call_sites.measured import LONG, READ, SHORT, WRITE, Measured
from ....call_sites.stack import IMPORT
from ....call_sites.told import library_call, name_of
from ....classes import dataclass
from ....units import amount, count, seconds, share
from ...facts import Facts
from ...finding import LAST, NOTICE, Finding, Remedy
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import Loops, is_of_library, loops_of

NAME = "between-calls"
ROLE = LAST
_HALF = 0.5  # share of this time that other findings must explain so that this one is left out
_FORMATTED = 8192  # bytes of the buffer of formatted units in libgfortran
_FORTRAN = re.compile(r"_gfortran_|libgfortran\.so")
_PIECES = Remedy(
    "Give the library more with each call: whole arrays, tables or lists, not single values or "
    "rows."
)
_RECORDS = Remedy(
    "Where the loop reads or writes single values, move a whole array or a column with each "
    "statement, and give records of direct access that length. If the file is text, make it "
    "unformatted.",
    "Fortran: write(unit) field  ! the whole array\n"
    "Fortran: open(newunit=unit, file=path, form='unformatted', access='stream')\n"
    "Fortran: inquire(iolength=length) field(:, 1);  open(..., access='direct', recl=length)\n"
    "Fortran: write(unit, rec=j) field(:, j)  ! a record for each column",
)


@dataclass
class _Spent:
    """The time that library functions of one kind (with many small calls, or of Fortran) took
    between their calls on files, with the remedy for it, the sums of the calls, and the seconds of
    each function."""

    remedy: Remedy
    seconds: float
    sums: Measured
    functions: Counter[str]


def _through(site: Site) -> str:
    """Returns the name of the library function that the user's line of a call site called; `""` if
    there is none, or for imports."""
    inside = site.places[: max(0, site.user)]
    if not inside or site.stack.called == IMPORT or not is_of_library(site):
        return ""
    return (library_call(site) or name_of(inside[-1])).partition("+")[0]


def _by_function(loop: Line) -> Iterator[tuple[str, bool, Measured]]:
    """Yields, for each library function that a loop calls, its name, whether it is of Fortran, and
    the sums of its calls."""
    found: dict[str, tuple[bool, Measured]] = {}
    for site in loop.sites:
        if name := _through(site):
            fortran = _FORTRAN.match(name) is not None
            name = "the runtime of Fortran" if fortran else name
            found.setdefault(name, (fortran, Measured()))[1].add(site.sums)
    for name, (fortran, sums) in found.items():
        yield name, fortran, sums


def _in_pieces(facts: Facts, sums: Measured) -> float:
    """Returns the seconds in the short gaps before the calls on files that a library function made,
    at most `pieces.seconds` per call; 0 if these calls are few, or move more than `pieces.bytes` on
    average. sums: the counts of these calls."""
    moving = sums.calls_of[READ] + sums.calls_of[WRITE]
    limits = facts.limits
    if moving < limits["operations"] or sums.read + sums.written > limits["pieces.bytes"] * moving:
        return 0.0
    return min(sums.gaps[SHORT], sums.calls * limits["pieces.seconds"])


def _in_records(_: Facts, sums: Measured) -> float:
    """Returns the seconds between calls of Fortran that move full buffers of unformatted units; 0
    if the calls move less on average. A library that packs single values takes as long before each
    buffer; longer gaps before some of them are the program's own computing. sums: the counts of the
    calls."""
    moving, moved = sums.calls_of[READ] + sums.calls_of[WRITE], sums.read + sums.written
    if moved <= _FORMATTED * moving:
        return 0.0
    return sums.shown_gaps if sums.breaks >= _HALF * moving else sums.gaps[SHORT]


def _spent(facts: Facts, known: Loops) -> list[_Spent]:
    """Returns two sums: the time of libraries between calls on small pieces, and the time of
    Fortran between calls on records. Each has 0 seconds if there are no such calls."""
    pieces = _Spent(_PIECES, 0.0, Measured(), Counter())
    records = _Spent(_RECORDS, 0.0, Measured(), Counter())
    for loop in known.groups:
        for name, fortran, sums in _by_function(loop):
            row, time = (records, _in_records) if fortran else (pieces, _in_pieces)
            if gaps := time(facts, sums) * known.overlap:
                row.seconds += gaps
                row.sums.add(sums)
                row.functions[name] += gaps  # type: ignore[assignment]
    return [pieces, records]


def _computes(facts: Facts, row: _Spent, spent: float) -> bool:
    """Returns whether the time between Fortran's calls on records is so long that the program must
    compute in it. row: the calls; spent: the seconds in gaps below 10 ms. Longer gaps count only up
    to the time in which the program computed, because it may have waited for a processor in
    them."""
    gaps = spent + min(row.sums.gaps[LONG], ledger(facts)[COMPUTING])
    moved = row.sums.read + row.sums.written
    return bool(gaps * facts.limits["records.rate"] > moved)


def _moves_arrays(facts: Facts, row: _Spent) -> bool:
    """Returns whether Fortran moved its records faster than it packs single values. The statements
    then have whole arrays, which the remedy asks for, and the time is that of their copies."""
    return row.sums.read + row.sums.written > row.seconds * facts.limits["records.array"]


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a notice for libraries with many small calls, and another for Fortran's records, if
    much time lies between these calls that no finding in `others` explains; otherwise nothing.
    others: findings of the other rules, which must therefore run first."""
    known = loops_of(facts)
    if known is None:
        return
    claimed = sum(finding.stake.between for finding in others)
    for row in _spent(facts, known):
        spent = min(row.seconds, ledger(facts)[BETWEEN])
        stake = facts.stake(0.0, "time between the library's calls", between=spent)
        if claimed >= _HALF * row.seconds or not facts.worth(stake):
            continue
        moved = row.sums.read + row.sums.written
        if row.remedy is _RECORDS and (_computes(facts, row, spent) or _moves_arrays(facts, row)):
            continue
        if stake.share < facts.limits["conversion.share"]:
            continue
        moving = int(row.sums.calls_of[READ] + row.sums.calls_of[WRITE])
        name = row.functions.most_common(1)[0][0]
        yield Finding(
            f"{NAME}-{'records' if row.remedy is _RECORDS else 'pieces'}",
            f"{name[0].upper()}{name[1:]} takes time between its calls on files"
            if row.remedy is _RECORDS
            else "A library takes time between its many small calls on files",
            f"Up to {seconds(stake.run)} of {seconds(stake.of_run)} "
            f"{stake.without}({share(stake.run, stake.of_run)}) lay between "
            f"{count(moving)} calls of {name}, which moved {amount(moved / max(1, moving))} each. "
            "The log does not show whether the library or the program itself took this time.",
            NOTICE,
            stake=stake,
            remedy=row.remedy,
            limits=(
                "conversion.share", "pieces.bytes", "pieces.seconds", "records.rate",
                "records.array", "operations", "stake.seconds",
            ),
            is_hint=True,
        )  # fmt: skip
