"""Conditions of `darshan compare`, such as bytes_read>+10%: parses and tests them."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

from ..classes import dataclass
from .measures import NAMES

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "B": 1.0}
_UNITS |= {f"{p}iB": 1024.0**n for n, p in enumerate("KMGT", 1)}
_UNITS |= {f"{p}B": 1000.0**n for n, p in enumerate("kMGT", 1)}
_FORM = re.compile(
    r"\s*([a-z_]+)\s*(>=|<=|>|<)\s*([+-]?)((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%|[A-Za-z]*)\s*"
)


class ConditionError(ValueError):
    """The text of a condition is invalid; the message quotes it and has the reason."""


@dataclass(frozen=True)
class Condition:
    """A condition on a measure of the second log or, if is_change, on its change from the first log
    to the second."""

    text: str  # as the user wrote it
    measure: str  # its name, such as bytes_read
    operator: str  # ">", ">=", "<" or "<="
    value: float  # in the unit of the measure (s, B or none); a fraction (0.1) if is_percent
    is_change: bool
    is_percent: bool

    def holds(self, before: float | None, after: float | None) -> bool | None:
        """Returns whether the condition holds. before, after: the measure in the first and in the
        second log. Returns None if a number that the condition needs is unknown."""
        if after is None or (self.is_change and before is None):
            return None
        found = after
        if self.is_change and before is not None:
            found = after - before
            limit = self.value * (abs(before) if self.is_percent else 1.0)
        else:
            limit = self.value
        return bool(_OPERATORS[self.operator](found, limit))


def condition(text: str) -> Condition:
    """Returns the condition that a text has: a measure, an operator and a number. A number with a
    sign is a change from the first log to the second: +10% is relative, +5MiB is absolute. Raises
    ConditionError for another form, an unknown measure or unit, and a percentage without a sign
    (except for measures that are shares)."""
    match = _FORM.fullmatch(text)
    if not match:
        raise ConditionError(
            f"{text!r} is not a condition such as 'bytes_read>+10%', 'findings>0' or "
            f"'run_seconds>+5s'"
        )
    name, compare, sign, number, unit = match.groups()
    if name not in NAMES:
        raise ConditionError(f"{text!r}: there is no measure {name}; --help lists them")
    if unit != "%" and unit not in _UNITS:
        raise ConditionError(f"{text!r}: there is no unit {unit}; use % {' '.join(_UNITS)[1:]}")
    value = float(number) * (0.01 if unit == "%" else _UNITS[unit])
    if sign == "-":
        value = -value
    if unit == "%" and not sign and not name.endswith("_share"):
        raise ConditionError(f"{text!r}: write +{number}% or -{number}% for a change")
    return Condition(text.strip(), name, compare, value, bool(sign), unit == "%")


@dataclass(frozen=True)
class Result:
    """A condition, and the numbers with which it was tested."""

    condition: Condition
    before: float | None  # in the first log; None: unknown
    after: float | None  # in the second log

    @property
    def holds(self) -> bool | None:
        return self.condition.holds(self.before, self.after)


def check(
    condition: Condition, before: Mapping[str, float | None], after: Mapping[str, float | None]
) -> Result:
    """Returns a condition with the values of its measure in both logs. before, after: all measures
    of the first and of the second log, by name; a missing measure is None in the result."""
    return Result(condition, before.get(condition.measure), after.get(condition.measure))
