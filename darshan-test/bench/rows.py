"""The form of a row of the benchmark table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Row:
    """One line of the table."""

    what: str
    measured: str
    goal: str
    met: bool
