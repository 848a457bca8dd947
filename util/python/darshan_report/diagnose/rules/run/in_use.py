"""Reports I/O that is as it should be, so that the user does not look for a problem there."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import percent
from ...accesses import collective
from ...facts import Facts
from ...finding import GOOD, REMARK, Finding

NAME = "as-it-should-be"
ROLE = REMARK


def find(facts: Facts) -> Iterator[Finding]:
    """Yields findings of the kind GOOD: one if most MPI-IO transfers are collective, and one if
    most POSIX transfers go forward; nothing if neither holds."""
    upper = facts.table("MPI-IO")
    if upper is not None and facts.together:
        together = float(collective.calls(upper).sum())
        names = ("INDEP_READS", "INDEP_WRITES", "NB_READS", "NB_WRITES")
        calls = together + sum(upper.sum(n) for n in names)
        if together and together >= facts.limits["collective.share"] * calls:
            yield Finding(
                f"{NAME}-collective",
                "Collective MPI-IO is in use",
                f"{percent(together, calls)} of the MPI-IO transfers are collective.",
                GOOD,
                evidence=facts.sums(upper, "COLL_READS", "COLL_WRITES"),
                limits=("collective.share",),
            )
    posix = facts.table("POSIX")
    if posix is None:
        return
    calls = posix.sum("READS") + posix.sum("WRITES")
    forward = posix.sum("SEQ_READS") + posix.sum("SEQ_WRITES")
    if (
        calls >= facts.limits["operations"]
        and forward >= (1 - facts.limits["random.share"]) * calls
    ):
        yield Finding(
            f"{NAME}-sequential",
            "Transfers go forward",
            f"{percent(forward, calls)} of the POSIX transfers start at or behind the end of the "
            "previous one.",
            GOOD,
            evidence=facts.sums(posix, "SEQ_READS", "SEQ_WRITES", "READS", "WRITES"),
            limits=("random.share", "operations"),
        )
