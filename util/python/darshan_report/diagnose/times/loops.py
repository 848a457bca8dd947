"""Estimates the time that a program and its libraries spend between the I/O calls of a loop, from
call sites.

A remedy that removes calls also removes the work around them: `json.dump` formats before each of
its writes, `pandas.read_csv` parses after each of its reads. A call site stores the time between
the end of the thread's previous recorded call and its own calls (a gap). A gap may also be
computing that no remedy removes, so only these gaps count:

- Gaps below 100 microseconds. For a remedy that makes calls larger (ITEMS), only as much of each
  gap counts as an interpreter or a library takes for an item. Before a look-up or an open in the
  program's own code, where its other work is, only as much as Python or compiled code needs for the
  call itself, and the time to parse what the loop read.
- Gaps below 10 milliseconds before a call of a library that neither opens a file nor looks up a
  name. They count up to the time that parsing or formatting the bytes takes, because between two
  calls of one library function there is mostly no code of the user. A shell does not count as a
  library: it waits for the programs that it starts.
- For a remedy that removes look-ups from a loop that also moves bytes: only the gaps before the
  look-ups.
- Gaps below 10 milliseconds of a program in Node.js, which makes its calls in other threads and
  waits for each of them.
- Gaps before a library opens a file. Only as much of each gap counts as a library takes for a call.
- In a loop that opens the same files again and again: longer gaps before a library's call on an
  open file, if there is about one such gap for each open. A library that opens a file parses its
  index or its header (zipfile, a reader of tables). A program that computes after each piece of a
  file has more such gaps.
- In such a loop: gaps before the program's own next close, open or read. They count up to the time
  that a parser needs for the bytes that it read (diagnose/programs/parsing.py).

The sum of these gaps is limited to the processor time outside of calls, because no remedy removes
the time in which a program sleeps or waits, and because calls have savings of their own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...call_sites.lines import Line, Site, sites_of
from ...call_sites.measured import (
    CLOSE,
    KINDS,
    LONG,
    LOOKUP,
    MEDIUM,
    OPEN,
    READ,
    SHORT,
    WRITE,
    Measured,
)  # fmt: skip
from ...call_sites.stack import IMPORT, Python
from ...call_sites.told import library_call, name_of
from ...classes import dataclass
from ...library import LogError
from ...measure.processes.usage import Usage
from ...units import seconds
from ..blame import about_of, part_of
from ..facts import Facts, once
from ..programs.importing import failing
from ..programs.parsing import parsing_of, uses_texts
from .cpu_wait import computed

ROUNDS, ITEMS = "rounds", "items"  # a remedy removes rounds, or calls for single items
_AGAIN = 5  # opens per file of a loop, from which on its libraries parse the file again
_SEARCH = 20  # look-ups per open, from which on they are not part of opening a file
_PAUSES = 1.5  # most long gaps per open; above 1, as a busy machine adds long gaps
_TOLD = 0.01  # smallest share of the seconds in the calls that is worth a sentence
_HALF = 0.5  # smallest share of a finding's calls that its loops must have together
_ALONE = 1.1  # most processes at once, on average, that are treated as one
_PART = 0.1  # smallest share that each of them must have
_SHORT_FUNCTIONS = re.compile(r"(?:^|/)(?:os|genericpath|posixpath|pathlib)\.py$|^<frozen ")
_NODE = re.compile(r"(?:^|/)(?:node(?:js)?$|lib(?:node|uv)\.so)")
_ABOVE_POSIX = re.compile(r"H5|nc_|ncmpi|MPI_")
_FIRST = re.compile(r"(?:fd)?opendir|scandir")  # calls that begin a listing, which count like opens


@dataclass(frozen=True)
class Between:
    """The time between the calls that a remedy removes, in which the program and its libraries
    work."""

    seconds: float = 0.0  # summed over threads; at most the time of the processes

    @property
    def sentence(self) -> str:
        """A sentence about this time, with a space before it; "" if there is no such time."""
        if self.seconds <= 0:
            return ""
        return (
            f" Between these calls the program and its libraries spent up to "
            f"{seconds(self.seconds)}, which is at stake, too."
        )

    @property
    def basis(self) -> str:
        """A clause on how the time was estimated; "" if there is no such time."""
        return ", and the time between them in the same loop" if self.seconds > 0 else ""


@dataclass(frozen=True)
class Loops:
    """The call sites of a log, grouped by loop, without those of imports. A loop consists of the
    call sites in one function of the user that is called from one place. Call sites without a line
    of the user are grouped by the outermost function of their thread."""

    groups: Sequence[Line]
    # Share of the summed time that the processes can have; below 1 if threads overlap.
    overlap: float


def _loop_of(site: Site) -> tuple[object, ...]:
    """Returns a key of the loop to which a call site belongs. All calls in one function have the
    same frames further out, so the key needs no symbols."""
    place, frames = site.line, site.stack.frames
    if place is None or not site.is_users:
        return (frames[-1] if frames else site.stack.called,)
    if not place.object:
        return (place.file, place.function)
    # Places and frames have the same indices, because inlined functions are not resolved here (that
    # needs symbols).
    return (place.object, frames[site.user + 1 :])


@once
def loops_of(facts: Facts) -> Loops | None:
    """Returns the loops of a log; None if it has no call sites, or damaged ones."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return None
    groups: dict[tuple[object, ...], Line] = {}
    whole = 0.0
    for site in sites:
        whole += site.sums.seconds + sum(site.sums.gaps)
        if site.stack.called != IMPORT:
            line = groups.setdefault(_loop_of(site), Line())
            line.sites.append(site)
            line.sums.add(site.sums)
    if not groups:
        return None
    overlap = min(1.0, facts.process_time / whole) if whole > 0 and facts.process_time > 0 else 1.0
    return Loops(tuple(groups.values()), overlap)


def importing(facts: Facts) -> float:
    """Returns the seconds that a program spent on imports between its calls on their files; 0 if
    unknown, or if several processes worked at the same time."""
    if facts.at_once > _ALONE or loops_of(facts) is None:
        return 0.0
    # A remedy saves imports that fail again and again.
    again = failing(facts)
    imports = (s.sums for s in sites_of(facts.log) if s.stack.called == IMPORT and s not in again)
    return sum(sums.gaps[SHORT] + sums.gaps[MEDIUM] for sums in imports)


def calls_through(loop: Line, function: re.Pattern[str]) -> dict[str, Measured]:
    """Returns the sums of a loop's calls that went through a library function, by the name of the
    function that the user's lines call. function: pattern that this function, or one that it calls,
    must match."""
    found: dict[str, Measured] = {}
    for site in loop.sites:
        inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
        if any(function.match(name_of(place)) for place in inside):
            called = library_call(site) or name_of(inside[-1])
            found.setdefault(called.partition("+")[0], Measured()).add(site.sums)
    return found


def is_of_library(site: Site) -> bool:
    """Returns whether the calls of a site were not made by the user's code directly: by a library,
    or by an interpreter whose script has no frames."""
    return site.user != 0 or not site.is_users


def _begins(site: Site) -> bool:
    """Returns whether the calls of a site open a file or a folder."""
    return site.sums.calls_of[OPEN] > 0 or _FIRST.match(site.stack.called) is not None


def _opens_again(loop: Line) -> bool:
    """Returns whether a loop opens each of its files repeatedly. loop: its call sites."""
    begun = sum(site.sums.calls for site in loop.sites if _begins(site))
    files = loop.sums.files.number()
    return files is not None and _AGAIN * files <= begun


def parsed_after(facts: Facts, loop: Line) -> float:
    """Returns the seconds before a loop's closes, opens and reads in the program's own code,
    limited to the time that parsing needs for what the loop read. `json.load` in a `with open(...)`
    parses before the close, `json.loads` of a string before the next open, `pickle.load` or a loop
    over lines before the next read. 0 if the loop makes no such calls."""
    longer = 0.0
    for site in loop.sites:
        calls = site.sums.calls_of
        own = bool(calls[CLOSE] or calls[READ]) and not is_of_library(site)
        # Sites without a line, such as those of a script that node runs, belong to a loop by the
        # name of the file.
        opens = _begins(site) and (site.is_users or (site.line is None and uses_texts(facts, site)))
        if own or opens:
            longer += site.sums.gaps[MEDIUM] + site.sums.gaps[LONG]
    return min(longer, parsing_of(facts, loop)) if longer > 0 else 0.0


def _asks_more(loop: Line) -> bool:
    """Returns whether a loop looks up many more names than it opens. The look-ups are then a loop
    of their own, such as a search for a free name."""
    calls = loop.sums.calls_of
    return calls[LOOKUP] > _SEARCH * max(1, calls[OPEN])


def _moves_too(loop: Line) -> bool:
    """Returns whether a loop reads or writes about as often as it looks names up, and seldom opens
    files. Without the look-ups its rounds are still there, and with them the work on the bytes."""
    calls = loop.sums.calls_of
    return calls[READ] + calls[WRITE] >= _HALF * calls[LOOKUP] and _asks_more(loop)


def _of_rounds(facts: Facts, loop: Line, kinds: Sequence[int] = KINDS) -> float:
    """Returns the seconds between a loop's calls that fewer iterations of the loop would save (see
    the file's head), summed over threads. kinds: the kinds of calls that they would save."""
    short, inside, before, parsing, awaited = 0.0, 0.0, 0.0, 0.0, 0.0
    begun, others, pauses = 0, 0, 0
    own, needed = 0.0, 0.0
    apart = LOOKUP not in kinds and _asks_more(loop)
    beside = tuple(kinds) == (LOOKUP,) and _moves_too(loop)
    for site in loop.sites:
        sums = site.sums
        if (apart and sums.calls_of[LOOKUP]) or (beside and not sums.calls_of[LOOKUP]):
            continue
        begins = _begins(site)
        if (begins or sums.calls_of[LOOKUP]) and _is_brief(site):
            own += sums.gaps[SHORT]
            needed += sums.calls * facts.limits["loop.item"]
        else:
            short += sums.gaps[SHORT]
        begun += sums.calls if begins else 0
        others += 0 if begins else sums.calls
        if not is_of_library(site) or _ABOVE_POSIX.match(site.stack.called):
            continue
        # Without a frame of the program, the sites of all its loops are in one group, and the time
        # between the calls may be computing.
        if site.line is None:
            awaited += sums.gaps[MEDIUM] if _is_awaited(site) else 0.0
            continue
        if begins:
            before += sums.gaps[MEDIUM] + sums.gaps[LONG]
        elif not sums.calls_of[LOOKUP]:  # between look-ups a program may wait for a change
            inside += sums.gaps[MEDIUM]
            parsing += sums.gaps[LONG]
            pauses += sums.pauses
    if own > needed:
        own = min(own, needed + parsing_of(facts, loop))
    again = _opens_again(loop)
    if again and pauses <= _PAUSES * begun:
        inside += parsing
    limits = facts.limits
    opening = begun * limits["loop.open"]
    moved = loop.sums.read + loop.sums.written
    inside = min(inside, moved / limits["conversion.rate"] + opening) + awaited
    before = min(before, opening + others * limits["loop.item"])
    # The gap before a library's open may be of both kinds, but counts only once.
    return short + own + inside + (max(before, parsed_after(facts, loop)) if again else before)


def _is_brief(site: Site) -> bool:
    """Returns whether the program's own code, in Python or compiled, makes the calls of a site,
    directly or through a short function such as os.path.exists."""
    if site.user < 0 or not site.is_users:
        return False
    frames, inside = site.stack.frames, site.places[: site.user]
    if frames and isinstance(frames[0], Python):
        return all(_SHORT_FUNCTIONS.search(place.file) for place in inside)
    return not inside and bool(site.places[0].object)


def _is_awaited(site: Site) -> bool:
    """Returns whether Node.js made the calls of a site. It makes them in threads of its own, and
    the program waits for each, so the time between two calls is part of their cost."""
    return site.line is None and any(map(_NODE.search, (place.object for place in site.places)))


def _of_items(facts: Facts, loop: Line, kinds: Sequence[int], called: str, overlap: float) -> float:
    """Returns the seconds between a loop's calls that larger, and thus fewer, calls would save.
    kinds: of calls. called: pattern of the called function. overlap: that of Loops."""
    found = 0.0
    for site in loop.sites:
        some = any(site.sums.calls_of[kind] for kind in kinds)
        by_other = is_of_library(site) or any(isinstance(f, Python) for f in site.stack.frames[:1])
        if some and by_other and re.match(called, site.stack.called):
            short, longer, calls = *site.sums.gaps[:LONG], site.sums.calls
            if not _is_awaited(site):
                found += min(short, calls * facts.limits["loop.item"])
                continue
            # The threads of a pool make the calls in turn, so the gap of a thread contains calls of
            # the others: the calls of four threads have four times the gaps.
            most = calls * facts.limits["loop.awaited"] / overlap
            found += max(short, min(short + longer, most))
    return found


@once
def processor_time(facts: Facts) -> float:
    """Returns the processor time of all processes in seconds; infinite if unknown."""
    table = facts.table("USAGE")
    known = None if table is None else Usage(table.records)
    ran = 0.0 if known is None else float((known["F_USER_TIME"] + known["F_SYSTEM_TIME"]).sum())
    return ran if ran > 0 else math.inf


def between_all(facts: Facts) -> float:
    """Returns the seconds between calls that belong to the I/O loops of the program, and not to its
    computing; 0 without call sites."""
    known = loops_of(facts)
    if known is None:
        return 0.0
    return known.overlap * sum(_of_rounds(facts, loop) for loop in known.groups)


def between(
    facts: Facts, name: str, lost: float, removed: str = ROUNDS, *, instead: bool = False
) -> Between:
    """Returns the time between the calls that a remedy removes; 0 without call sites, and if it is
    below 1 % of `lost`. name: of the finding. lost: seconds in calls that the remedy saves.
    removed: ROUNDS if the remedy removes iterations, ITEMS if it makes calls larger. instead: the
    finding is about the alternative kinds of calls (About.instead)."""
    known, about = loops_of(facts), about_of(name, instead=instead)
    if known is None or about is None or lost <= 0:
        return Between()
    parts = [part_of(loop, about) for loop in known.groups]
    whole = sum(parts)
    some = [loop for loop, part in zip(known.groups, parts) if part > 0 and part >= _PART * whole]
    if sum(part_of(loop, about) for loop in some) < _HALF * whole or not some:
        return Between()
    in_calls = sum(loop.sums.seconds_of[kind] for loop in known.groups for kind in about.kinds)
    saved = min(1.0, lost / in_calls) if in_calls > 0 else 1.0
    if removed == ITEMS:
        found = sum(
            _of_items(facts, loop, about.kinds, about.called, known.overlap) for loop in some
        )
    else:
        found = sum(_of_rounds(facts, loop, about.kinds) for loop in some)
    left = max(0.0, facts.process_time - lost) if facts.process_time > 0 else found
    spent = min(saved * found * known.overlap, left, computed(facts))
    return Between(spent) if spent >= _TOLD * lost else Between()
