"""A program reads very many program files: modules of an interpreter, and libraries."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.program_text import which
from ...reached import CALLS, at_most, needs

NAME = "program-files"
ROLE = CAUSE


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if a program reads very many program files, which are modules of an
    interpreter and libraries, and this takes time; otherwise nothing."""
    table = facts.table("POSIX")
    if table is None or not (mask := which(facts, table)).any():
        return
    number = int(facts.files(table)[mask].sum())
    time, moved = float(facts.time(table)[mask].sum()), float(table["BYTES_READ"][mask].sum())
    stake = facts.stake(time, "time in opening, querying, reading and closing program files")
    # Imports from a local disk are a normal start.
    if number < facts.limits["files.many"] / 2 or time < facts.limits["program.seconds"] * number:
        return
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "Starting the program reads very many files",
        f"{count(number)} files of program text, {amount(moved)} in total, were opened or looked "
        f"up: imported modules and libraries. That took {seconds(time)} over all processes, in "
        "addition to the work on the program's data.",
        stake=stake,
        evidence=facts.sums(table, "OPENS", "STATS", "F_META_TIME", "F_READ_TIME"),
        remedy=Remedy(
            "Keep the environment on storage that opens files quickly: in one image (squashfs, a "
            "container) or on the node's own disk, not as thousands of files on a shared file "
            "system. "
            "Import less, or later; start one process for many tasks.",
            "Python: python -X importtime program.py  # what imports what, and how long it takes\n"
            "mksquashfs venv venv.sqsh;  squashfuse venv.sqsh /tmp/venv",
        ),
        limits=("files.many", "program.seconds"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )
