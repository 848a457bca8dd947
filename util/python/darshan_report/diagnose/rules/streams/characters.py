"""A program reads or writes one character with each call."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, plural, seconds
from ...accesses.streams import ratio
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...times.recording import sites_in, wide_calls

NAME = "character-calls"
ROLE = SYMPTOM
_ONE = 1.1  # bytes of a call on average; more is no single character
_MOST = 4  # bytes of a wide character in UTF-8
# Seconds that a call takes beyond the same character in a loop over a block: it takes the stream's
# lock, and the wide one also decodes. Measured with glibc 2.36.
_NARROW, _WIDE = 2e-9, 6e-9
_REMEDY = Remedy(
    "Read blocks into an array and go through it, or take the lock of the stream once for many "
    "characters. A text with characters of several bytes is read in lines and decoded as a whole.",
    "C: while ((n = fread(block, 1, sizeof block, in)) > 0) for (i = 0; i < n; i++) ...\n"
    "C: flockfile(in);  while ((c = getc_unlocked(in)) != EOF) ...  funlockfile(in);\n"
    "C: mbstowcs(wide, line, room);  // after getline, not fgetwc in a loop\n"
    "C++: in.read(block, sizeof block);  // not in.get(c)\n"
    "Fortran: read (unit, '(a)') line  ! not advance='no' for each character",
)


@needs("STDIO")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if calls on buffered streams moved one character each, so often that the
    calls themselves cost much."""
    streams = facts.streams
    if streams is None:
        return
    table = streams.table
    calls = table["READS"] + table["WRITES"]
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    mask = streams.files & (calls >= facts.limits["characters.many"])
    wide = wide_calls(facts.log)
    mask &= ratio(moved, calls) <= (_MOST if wide >= facts.limits["characters.many"] else _ONE)
    if not mask.any():
        return
    many = float(calls[mask].sum())
    wide = min(many, wide)
    stake = facts.stake(
        (many - wide) * _NARROW + wide * _WIDE,
        "what the calls take beyond a loop over a block in memory, on an ordinary processor",
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, calls, len(mask))
    yield Finding(
        NAME,
        "One character moves with each call",
        f"{count(float(calls[first]))} calls moved {amount(float(moved[first]))} of "
        f"{facts.name(table.ids[first])}"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". {_slowed(facts)}",
        stake=stake,
        evidence=facts.rows(table, first, "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"),
        remedy=_REMEDY,
        limits=("characters.many",),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _slowed(facts: Facts) -> str:
    """Returns a sentence on how much the recording slowed the program, because the program is
    faster without it."""
    spent = facts.recording / facts.at_once
    with_sites = " with their lines of code" if sites_in(facts.log) else ""
    if not spent:
        return "Each call takes the lock of the stream."
    return (
        f"Recording these calls{with_sites} took about {seconds(spent)} of the run: without it, "
        "the program is faster by that."
    )
