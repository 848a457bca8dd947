"""Ranks of one host are far slower than the ranks of other hosts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.processes.hosts import Host
from ....units import plural, rate, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ..files import slow_targets

NAME = "slow-hosts"
ROLE = CAUSE
_OTHERS = 4  # fewest hosts that are not slow; fewer do not show the usual rate
_MEGA = 1 << 20


def _slowness(host: Host) -> float:
    """Returns the seconds per byte that the ranks of a host took."""
    return host.seconds / max(host.bytes, 1.0)


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the hosts whose ranks are far slower than the ranks of other hosts.
    Yields nothing if there are none, or if the log has no traces, which tell the hosts."""
    posix = facts.table("POSIX")
    if posix is None or not facts.together or facts.found(slow_targets.find):
        return
    small = facts.limits["small.bytes"]
    # The time of small transfers does not measure a network.
    found = {n: h for n, h in facts.hosts.items() if h.bytes > small * h.transfers > 0}
    if len(found) <= _OTHERS:
        return
    usual = float(np.median([_slowness(h) for h in found.values()]))
    factor = facts.limits["targets.factor"]
    slow = {n: h for n, h in found.items() if _slowness(h) > factor * usual}
    if usual <= 0 or not slow or len(found) - len(slow) < _OTHERS:
        return
    excess = [max(0.0, t - b * usual) for h in slow.values() for b, t in h.ranks.values()]
    stake = facts.stake(
        max(sum(excess), max(excess) * facts.nprocs),
        "time of these hosts' ranks beyond what their bytes take on the other hosts, and the time "
        "that all ranks wait for the slowest of them, if they wait",
    )
    if not facts.worth(stake):
        return
    names = sorted(slow, key=lambda n: -_slowness(slow[n]))
    whole = sum(h.seconds for h in slow.values())
    moved = sum(h.bytes for h in slow.values())
    yield Finding(
        NAME,
        "A host is slow" if len(slow) == 1 else "Hosts are slow",
        f"{plural(sum(len(h.ranks) for h in slow.values()), 'rank')} on {', '.join(names[:8])}"
        f"{', ...' if len(names) > 8 else ''} moved {rate(moved / max(whole, 1e-9) / _MEGA)} each, "
        f"those on the other {plural(len(found) - len(slow), 'host')} "
        f"{rate(1 / usual / _MEGA)}. The transfers of the slow ranks took {seconds(whole)}.",
        stake=stake,
        evidence=facts.sums(posix, "READS", "WRITES", "F_READ_TIME", "F_WRITE_TIME"),
        remedy=Remedy(
            "The program is not the cause: report the host to the administrators and exclude it "
            "from "
            "the next job; check its network, and what else ran on it.",
            f"sbatch --exclude={','.join(names[:4])}",
        ),
        limits=("targets.factor", "small.bytes"),
    )
