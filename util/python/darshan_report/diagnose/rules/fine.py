"""Nothing to change, said plainly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...measure.exclusive import own_times
from ...summary.units import seconds, share
from ..facts import Facts
from ..finding import GOOD, PROBLEM, Finding

NAME = "fine"


def _where(facts: Facts) -> str:
    """What would help follows from the layer that the time is spent in."""
    own = own_times(facts.attribution) if facts.attribution else []
    longest = max(own, key=lambda layer: layer.time, default=None)
    if longest is None or longest.time < facts.base_time:
        return "The transfers are what they are: fewer bytes, or a faster file system, would help."
    return (
        f"Most of it, {seconds(longest.time / facts.nprocs)} per process, is {longest.title}, not "
        f"the file system ({seconds(facts.base_time / facts.nprocs)})."
    )


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Looks at what the other diagnoses found, so it comes last."""
    if any(f.kind == PROBLEM for f in others):
        return
    part = share(facts.io_time, facts.process_time)
    if not facts.layers:
        yield Finding(
            NAME,
            "No I/O was seen",
            "The log holds no record of any I/O: either there "
            "was none on files that are watched, or the program could not be watched.",
            GOOD,
        )
    elif facts.io_time <= facts.limits["io.fine"] * facts.process_time:
        yield Finding(
            NAME,
            "Your I/O is fine",
            f"I/O took {seconds(facts.io_time / facts.nprocs)} per process on average, {part} of "
            "the run time: there is nothing to win here.",
            GOOD,
            limits=("io.fine",),
        )
    else:
        yield Finding(
            NAME,
            "No known problem",
            f"I/O took {seconds(facts.io_time / facts.nprocs)} per process on average, {part} of "
            "the run time, and none of the patterns that are known to be slow was found. "
            f"{_where(facts)}",
            GOOD,
        )
