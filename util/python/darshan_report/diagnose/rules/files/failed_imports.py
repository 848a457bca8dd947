"""A Python program tries an import again and again that fails each time. Python remembers the
modules that it found, but not those that it did not find: each try searches all folders again."""

from __future__ import annotations

from collections.abc import Iterator

from ....call_sites.measured import LOOKUP, Measured
from ....units import count, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs.importing import failing
from ...reached import needs
from ...times.loops import loops_of

NAME = "failed-imports"
ROLE = CAUSE


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if one line of the program makes many look-ups for imports that fail."""
    sums = Measured()
    for site in failing(facts):
        sums.add(site.sums)
    if sums.calls_of[LOOKUP] < facts.limits["operations"]:
        return
    known = loops_of(facts)
    gaps = sums.shown_gaps * (known.overlap if known else 1.0)
    stake = facts.stake(
        sums.seconds, "time in these look-ups, and in Python's search between them", between=gaps
    )
    if not facts.worth(stake):
        return
    extra = facts.table("POSIX_EXT")
    yield Finding(
        NAME,
        "An import fails again and again",
        f"Imports looked {count(sums.calls_of[LOOKUP])} times at the folders of sys.path and found "
        "no module. Python does not remember a failed import, so each try searches all folders "
        f"again: {seconds(sums.seconds)} in the look-ups, and up to {seconds(gaps)} between them.",
        stake=stake,
        evidence=() if extra is None else facts.sums(extra, "FOLDER_STATS", "F_META_TIME"),
        remedy=Remedy(
            "Import once, at the top of the module and not in a function that runs for each item; "
            "decide there, too, what to use if the import fails.",
            "Python: try:  # once, at the top of the file\n"
            "Python:     import simplejson as json\n"
            "Python: except ImportError:\n"
            "Python:     import json",
        ),
        limits=("operations",),
    )
