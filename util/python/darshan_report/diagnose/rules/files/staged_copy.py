"""Files are copied to another place, read there once and removed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from ....units import amount, plural
from ...accesses.copies import File, files_of, removed_of
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs

NAME = "staged-copy"
ROLE = CAUSE


def _pairs(facts: Facts, removed: dict[int, float]) -> list[tuple[File, File, int, int]]:
    """Returns each copy with its original, and the record ids of both. A copy was removed and has
    as many bytes as its original. It has the same name in another folder or, if there are several
    pairs, the same extension. removed: seconds by id of removed files."""
    files = files_of(facts)
    least = facts.limits["copy.bytes"]
    originals: dict[tuple[float, str], list[int]] = defaultdict(list)
    for number, read in files.items():
        if read.written == 0 and read.read >= least and read.was_read_once:
            originals[read.size, os.path.splitext(facts.own_name(number))[1]].append(number)
    named, alike = [], []
    for number in removed:
        if number not in files or not (one := files[number]).is_copy or one.read < least:
            continue
        name = facts.own_name(number)
        folder, base = os.path.split(name)
        ending = os.path.splitext(base)[1]
        others = [
            other
            for other in originals.get((one.size, ending), ())
            if os.path.dirname(facts.own_name(other)) != folder
        ]
        for other in others:
            if os.path.basename(facts.own_name(other)) == base:
                named.append((one, files[other], number, other))
                break
        else:
            if ending and others:
                alike.append((one, files[others[0]], number, others[0]))
    return named + alike if len(named) + len(alike) > 1 else named


@needs("POSIX", "POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if files were copied, and each copy was read once and removed; otherwise
    nothing. Reading the original would take as long as copying it."""
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    if extra is None or posix is None:
        return
    removed = removed_of(extra)
    pairs = _pairs(facts, removed)
    if not pairs:
        return
    # The remedy saves writing and removing the copy, and reading the bytes a second time.
    lost = sum(copy.writing + copy.other + original.reading for copy, original, *_ in pairs)
    lost += sum(removed[number] for *_, number, _ in pairs)
    moved = sum(copy.written for copy, *_ in pairs)
    stake = facts.stake(
        lost,
        "time of reading the originals for the copies, and of writing and removing the copies",
        int(moved),
        int(posix.sum("BYTES_WRITTEN")),
    )
    if not facts.worth(stake):
        return
    *_, number, other = max(pairs, key=lambda pair: pair[0].written)
    more = f"; the same holds for {plural(len(pairs) - 1, 'more file')}" if len(pairs) > 1 else ""
    place = posix.place(other)
    yield Finding(
        NAME,
        "Files are copied, read once and removed",
        f"{facts.own_name(other)} was copied to {facts.own_name(number)}, which was read once and "
        f"removed{more}. A copy reads the original once, and so would the program: copying the "
        f"{amount(moved)} saved no read.",
        stake=stake,
        evidence=()
        if place is None
        else facts.rows(posix, place, "BYTES_READ", "MAX_BYTE_READ", "F_READ_TIME"),
        remedy=Remedy(
            "Read the original: a copy in a scratch folder pays only if it is read several times, "
            "or in small pieces that the original's file system is slow at.",
            "Python: data = numpy.fromfile(original)  # no shutil.copy before\n"
            "C: open(original, O_RDONLY);  // no copy before\n"
            "shell: program < original  # no cp before",
        ),
        limits=("copy.bytes",),
        covers=frozenset(number for _, _, copy, original in pairs for number in (copy, original)),
    )
