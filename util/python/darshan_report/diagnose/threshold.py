"""The type of a threshold, and names of the usual sources of its value."""

from __future__ import annotations

from ..classes import dataclass

DRISHTI = "public rule set of Drishti 0.8"
HERE = "the studies of this project"
JUDGEMENT = "judgement: below it a change is not worth the work"


@dataclass(frozen=True)
class Limit:
    """One threshold of the diagnoses: its value and unit, what it decides, and where the value
    comes from."""

    name: str  # as users write it: "small.bytes"
    value: float
    unit: str  # "s", "bytes", "calls", or of what the value is a share
    meaning: str
    source: str
