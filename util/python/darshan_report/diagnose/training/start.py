"""Measures the imports of a training, by the lines that import."""

from __future__ import annotations

from ...call_sites.lines import sites_of
from ...call_sites.measured import LONG
from ...call_sites.stack import IMPORT
from ...library import LogError
from ..facts import Facts
from .data_loader import line_of

OTHERS = "lines without a number"


def imports_by_line(facts: Facts) -> dict[str, float]:
    """Returns, for each line of the program with an import ("train.py:3"; OTHERS if unknown), a
    lower bound of the seconds that its imports took in main threads: the I/O calls and the gaps
    below 10 ms before them. Longer gaps may have the program's own work. The result is empty
    without call sites."""
    found: dict[str, float] = {}
    try:
        sites = sites_of(facts.log)
    except LogError:
        return found
    for site in sites:
        if site.stack.called == IMPORT and site.is_users and site.sums.processes <= 1:
            spent = site.sums.seconds + sum(site.sums.gaps[:LONG])
            line = line_of(site).partition(", in ")[0] or OTHERS
            found[line] = found.get(line, 0.0) + spent
    return found
