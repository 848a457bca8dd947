"""Arguments for every predefined query, and the comparison of two results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

# Arguments of the predefined queries.
VALUES = {"top": 1000, "name": "%", "least": 1, "job": "4242"}


def equal_rows(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]], name: str) -> None:
    """Checks that the rows of two results are equal, except for rounding of sums, because the
    order of addition varies. Floats may differ by 1e-9 of their value. name: the query, for the
    message."""
    assert len(one) == len(other), name
    for row, same in zip(one, other):
        for value, wanted in zip(row, same):
            close = pytest.approx(wanted, rel=1e-9) if isinstance(wanted, float) else wanted
            assert value == close, (name, row, same)
