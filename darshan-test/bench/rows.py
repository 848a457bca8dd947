"""A row of the table of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Row:
    """A line of the benchmark's table: what was measured, the measured value and the goal as text
    ("" if there is no goal), and whether the goal was met."""

    what: str
    measured: str
    goal: str
    met: bool
