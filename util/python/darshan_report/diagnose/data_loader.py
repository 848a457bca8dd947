"""Whether a library for training loads samples, from call sites: remedies then use its words."""

from __future__ import annotations

import re

from ..call_sites.lines import sites_of
from ..call_sites.stack import Python
from ..library import LogError
from .facts import Facts, once

# Code that asks a data set of the user for one sample after the other.
_TORCH = re.compile(r"(?:^|/)torch/utils/data/(?:_utils/\w+|dataloader)\.py$")


@once
def is_torch(facts: Facts) -> bool:
    """Tells whether a DataLoader of PyTorch read files; False without call sites."""
    try:
        sites = sites_of(facts.log)
    except LogError:
        return False
    return any(
        isinstance(frame, Python) and _TORCH.search(frame.path)
        for site in sites
        if site.sums.read > 0
        for frame in site.stack.frames
    )
