"""Files are mapped into memory again and again while they are open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...facts import Facts, leading
from ...finding import SYMPTOM, Finding, Remedy
from ...reached import CALLS, at_most
from ...table import Table
from ...times.loops import between
from ...times.naming import mapping_times

NAME = "mapped-again"
ROLE = SYMPTOM
_HALF = 0.5  # changes of the size per mapping
_OPENS = 2.0  # mappings per open from which on the mappings are repeated, not the opens


def _grown(posix: Table, extra: Table) -> np.ndarray:
    """Returns a mask of the files whose size was changed about as often as they were mapped. These
    files grow in small steps, which the rule on metadata calls reports."""
    grown = np.zeros(len(posix), bool)
    _, here, there = np.intersect1d(posix.ids, extra.ids, return_indices=True)
    resized = extra["TRUNCATES"][there] + extra["FALLOCATES"][there]
    grown[here] = resized > _HALF * posix["MMAPS"][here]
    return grown


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if processes map the same files again and again, and the mapping takes
    time. The page faults of each new mapping are in the time between these calls."""
    spent = mapping_times(facts)
    if spent is None:
        return
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if posix is None or extra is None:
        return
    maps = posix["MMAPS"] / posix.processes
    mask = (maps > facts.limits["maps.again"]) & (spent > 0) & facts.single(posix)
    mask &= posix["MMAPS"] > _OPENS * facts.opens(posix)
    mask &= ~_grown(posix, extra)
    time = np.where(mask, spent * (1 - 1 / np.maximum(maps, 1)), 0.0)
    more = between(facts, NAME, float(time.sum()))
    stake = facts.stake(
        float(time.sum()),
        f"time of the repeated calls that map and unmap the files{more.basis}",
        between=more.seconds,
    )
    if not mask.any() or not facts.worth(stake):
        return
    first, *others = leading(mask, time, len(mask))
    number = float(posix["MMAPS"][first])
    place = extra.place(int(posix.ids[first]))
    size = 0.0 if place is None else float(extra["MMAP_BYTES"][place]) / max(number, 1.0)
    users = int(posix.processes[first])
    yield Finding(
        NAME,
        "Files are mapped into memory again and again",
        f"{facts.name(int(posix.ids[first]))} was mapped {plural(int(number), 'time')}"
        + (f" by {count(users)} processes" if users > 1 else "")
        + f", {amount(size)} each time"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". Mapping and unmapping took {seconds(float(time.sum()))}{facts.over_all}. In each "
        "new mapping, the first access to each page is a page fault again." + more.sentence,
        stake=stake,
        evidence=facts.rows(posix, first, "OPENS", "MMAPS", "F_META_TIME")
        + (() if place is None else facts.rows(extra, place, "MMAP_BYTES", "F_MAP_TIME")),
        remedy=Remedy(
            "Map the file once, before the loop, and keep the mapping; a file that is larger than "
            "the memory can be mapped as a whole, too. If each record is used once, read it with "
            "pread instead.",
            "C: map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);  before the loop\n"
            "C: pread(fd, &record, sizeof record, offset);  for a few bytes\n"
            "Python: array = numpy.memmap(path, mode='r')  # before the loop\n"
            "Java: var map = channel.map(READ_ONLY, 0, channel.size());  before the loop\n"
            "Rust: let map = unsafe { memmap2::Mmap::map(&file)? };  before the loop",
            alone=True,
        ),
        limits=("maps.again",),
        covers=frozenset(int(one) for one in posix.ids[mask]),
    )
