"""Nearly all ranks of a job wait in MPI while one rank does I/O, and no other finding explains
this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....units import seconds, share
from ...facts import Facts
from ...finding import LAST, PROBLEM, Finding, Remedy
from ...remedies.language import READ_PARTS, WRITE_PARTS
from ...times import waits
from . import imbalance, message_files, one_process

NAME = "ranks-wait-for-io"
ROLE = LAST
_MOSTLY = 0.8  # share of one rank, or of one direction
_CLAIMED = 0.5  # share of the time that other findings must explain so that this one is left out


def find(facts: Facts, found: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields one finding if the ranks lose time while they wait for the I/O of one rank, and no
    problem in `found` explains half of it; otherwise nothing. found: findings of the other rules,
    which must therefore run first."""
    lost = waits.during(facts)
    if lost is None or not facts.together:
        return
    stake = facts.stake(
        lost.seconds * facts.nprocs,
        "time in which nearly all other ranks waited in MPI while one rank was in I/O, by the bins "
        "of the heat maps; less remains if the other ranks could do nothing else",
    )
    problems = [f for f in found if f.kind == PROBLEM]
    claimed = max((f.stake.run for f in problems), default=0.0)
    if not facts.worth(stake) or claimed >= _CLAIMED * stake.run:
        return
    # Ranks that exchange values through files wait for these files, not for one rank.
    others = (one_process.NAME, imbalance.NAME, message_files.NAME)
    if any(f.name.startswith(others) for f in problems):
        return
    one = lost.of_rank >= _MOSTLY * lost.seconds
    file = waits.busiest_of(facts, lost.rank)
    doing = _doing(lost.reading)
    part = f"{seconds(lost.seconds)} of {seconds(facts.run_time)}"
    who = f"rank {lost.rank}" if one else f"one rank after another, most often rank {lost.rank},"
    named = f" Rank {lost.rank} spent most of its I/O time in {file.name}." if file else ""
    yield Finding(
        NAME,
        f"All ranks wait while one rank {doing}" if one else "Ranks take turns at I/O",
        f"For {part} ({share(lost.seconds, facts.run_time)}) nearly all other ranks waited in MPI "
        f"while {who} {_WAS[doing]}. "
        f"{waits.others(facts, lost.rank)}.{named}",
        stake=stake,
        evidence=file.evidence if file else (),
        remedy=_REMEDIES[doing] if one else _TURNS,
        limits=("stake.seconds", "stake.share"),
    )


_WAS = {"reads": "was reading", "writes": "was writing", "does I/O": "was in I/O"}


def _doing(reading: float) -> str:
    """Returns the verb for I/O of which this fraction is reading."""
    if reading >= _MOSTLY:
        return "reads"
    return "writes" if reading <= 1 - _MOSTLY else "does I/O"


_TURNS = Remedy(
    "Let the ranks do their I/O at the same time: each its own part of the file, in a collective "
    "call, or a file for each rank or node.",
    f"{READ_PARTS}\n{WRITE_PARTS}",
)
_READ = Remedy(
    "Make the reads of this rank faster: fewer, larger reads, and send the data in one message "
    "(MPI_Bcast, MPI_Scatterv). If each rank needs only a part, let each read its own part.",
    READ_PARTS,
)
_WRITE = Remedy(
    "Make the writes of this rank faster: fewer, larger writes. Or let each rank write its own "
    "part; or let the others go on while this rank writes (MPI_Isend in place of a barrier).",
    WRITE_PARTS,
)
_BOTH = Remedy(
    "Make the I/O of this rank faster, share it among the ranks, or let the others go on while it "
    "lasts.",
    f"{READ_PARTS}\n{WRITE_PARTS}",
)
_REMEDIES = {"reads": _READ, "writes": _WRITE, "does I/O": _BOTH}
