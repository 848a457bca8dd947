"""The calls by which PyTorch loaded samples, from call sites, and the user's lines that led to
them."""

from __future__ import annotations

import re

from ...call_sites.lines import Site, sites_of
from ...call_sites.measured import OPEN
from ...call_sites.stack import IMPORT, Python
from ...library import LogError
from ..facts import Facts, once

_WORKER = re.compile(r"(?:^|/)torch/utils/data/_utils/worker\.py$")  # the loop of a worker
# Code that requests one sample after the other from a data set of the user.
_TORCH = re.compile(r"(?:^|/)torch/utils/data/(?:_utils/\w+|dataloader)\.py$")


@once
def sites_of_samples(facts: Facts) -> tuple[Site, ...]:
    """Returns the call sites that opened or read files below a DataLoader of PyTorch, the longest
    time first; empty without call sites."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return ()
    found = [
        site
        for site in sites
        if (site.sums.read > 0 or site.sums.calls_of[OPEN] > 0) and site.stack.called != IMPORT
        if is_of_batch(site)
    ]
    return tuple(sorted(found, key=lambda site: -spent(site)))


def is_of_batch(site: Site) -> bool:
    """Returns whether the calls of a site were made below a DataLoader, for a batch."""
    return any(
        isinstance(frame, Python) and _TORCH.search(frame.path) for frame in site.stack.frames
    )


def is_of_worker(site: Site) -> bool:
    """Returns whether a worker process of a DataLoader made the calls of a site."""
    return any(
        isinstance(frame, Python) and _WORKER.search(frame.path) for frame in site.stack.frames
    )


def is_from_memory(facts: Facts) -> bool:
    """Returns whether a DataLoader of PyTorch got its samples without opening, reading or mapping a
    file; False without call sites. A file that a thread of the user's data set reads is missed,
    because the stack of such a thread has no function of PyTorch."""
    posix, streams = facts.table("POSIX"), facts.table("STDIO")
    if posix is not None and float(posix["MMAPS"].sum()) > 0:
        return False
    try:
        known = len(sites_of(facts.log)) > 0
    except LogError:
        return False
    return known and not sites_of_samples(facts) and (posix is not None or streams is not None)


def is_torch(facts: Facts) -> bool:
    """Returns whether a DataLoader of PyTorch read files; False without call sites."""
    return any(site.sums.read > 0 for site in sites_of_samples(facts))


def spent(site: Site) -> float:
    """Returns the seconds in the calls of a site, plus those in the gaps before the calls."""
    return site.sums.seconds + sum(site.sums.gaps)


def line_of(site: Site) -> str:
    """Returns the user's line of a call site as text, "train.py:14, in Shards.__iter__"; "" if it
    has none."""
    place = site.line
    if place is None or not place.file or not site.is_users:
        return ""
    inside = f", in {place.function}" if place.function else ""
    return f"{place.file.rpartition('/')[2]}:{place.line}{inside}"
