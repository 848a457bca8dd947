"""A pickle of an old protocol takes much of the run. Protocol 4 and later ones have frames of
64 KiB, which are read with one call each; what older protocols wrote is read in pieces of a buffer.
The oldest one, protocol 0, is text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....call_sites.lines import Site
from ....call_sites.measured import MEDIUM, READ, SHORT
from ....call_sites.stack import IMPORT, Python
from ....units import amount, count, seconds, share
from ...facts import Facts
from ...finding import LAST, NOTICE, Finding, Remedy
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import loops_of

NAME = "old-pickle"
ROLE = LAST
_HALF = 0.5  # part of this time that other findings must claim so that this one is left out
_LEAST = 1 << 20  # bytes: less does not show how a pickle is read
_PIECE = 16 * 1024  # most bytes of a read: half of what protocol 4 has on average
_PICKLE = re.compile(r"\.(?:pkl|pickle|pck|pcl|p)(?:\.\d+)?$", re.IGNORECASE)
_REMEDY = Remedy(
    "Write pickles with the highest protocol, and arrays with numpy.save, which formats nothing. "
    "Protocol 0 takes several times as long to write, and twice as long to read.",
    "Python: pickle.dump(data, file, pickle.HIGHEST_PROTOCOL)\n"
    "Python: numpy.save(path, array);  numpy.load(path)",
)


def _is_pickle(facts: Facts, site: Site) -> bool:
    """Returns whether a call site is in a Python program, reads, and all its files have names of
    pickles."""
    names = [facts.name(one) for one in site.sums.files.calls]
    python = any(isinstance(frame, Python) for frame in site.stack.frames)
    reads = python and site.sums.calls_of[READ] > 0 and site.stack.called != IMPORT
    return reads and bool(names) and all(map(_PICKLE.search, names))


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a hint if pickles are read in small pieces, and much of the run passes between the
    reads; otherwise nothing. others: findings of the other rules, which must therefore run first:
    if they explain this time, there is no hint."""
    known = loops_of(facts)
    if known is None:
        return
    sites = [site for loop in known.groups for site in loop.sites if _is_pickle(facts, site)]
    read = sum(site.sums.read for site in sites)
    calls = sum(site.sums.calls_of[READ] for site in sites)
    gaps = sum(site.sums.gaps[SHORT] + site.sums.gaps[MEDIUM] for site in sites) * known.overlap
    if facts.needed_time < facts.process_time:  # the gaps also have waits for a processor
        gaps = min(gaps, ledger(facts)[BETWEEN] + ledger(facts)[COMPUTING])
    stake, limits = facts.stake(0.0, "", between=gaps), facts.limits
    if read < _LEAST or read > _PIECE * calls or stake.share < limits["conversion.reading"]:
        return
    if sum(one.stake.between for one in others) >= _HALF * gaps or not facts.worth(stake):
        return
    files = sorted({one for site in sites for one in site.sums.files.calls}, key=facts.name)
    posix = facts.table("POSIX")
    if posix is None or (place := posix.place(files[0])) is None:
        return
    more, was = (f" and {len(files) - 1} more", "were") if files[1:] else ("", "was")
    yield Finding(
        NAME,
        "Much of the run passes between the reads of a pickle of an old protocol",
        f"{facts.name(files[0])}{more} {was} read in {count(calls)} pieces of "
        f"{amount(read / calls)}, as pickles of protocols before 4 are. Between these reads, "
        f"{seconds(stake.run)} of {seconds(stake.of_run)} {stake.without}"
        f"({share(stake.run, stake.of_run)}) passed. The log does not show which of them it is: "
        "the oldest one, protocol 0, writes text, and is slow to write, too.",
        NOTICE,
        evidence=facts.rows(posix, place, "READS", "BYTES_READ", "F_READ_TIME"),
        remedy=_REMEDY,
        limits=("conversion.reading", "stake.seconds"),
        covers=frozenset(files),
        is_hint=True,
    )
