"""A row of the table of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Row:
    """A row: what was measured, the result, the goal ("" for none), and whether it was met."""

    what: str
    measured: str
    goal: str
    met: bool
