"""One file per diagnosis. Each has NAME, ROLE and find(facts), which yields its findings. The files
of this folder are the list of the rules: no other list names them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from ..facts import Facts
from ..finding import CAUSE, REMARK, SYMPTOM, Finding


class Rule(Protocol):
    """The names that every file of this folder defines."""

    NAME: str
    ROLE: str

    def find(self, facts: Facts, /) -> Iterator[Finding]:
        """Yields the findings of a log."""


def _with_role(role: str) -> tuple[Rule, ...]:
    """Returns the rules with this role, by name."""
    names = sorted(module.name for module in iter_modules(__path__))
    rules = (cast(Rule, import_module(f"{__name__}.{name}")) for name in names)
    return tuple(rule for rule in rules if role == rule.ROLE)


CAUSES, SYMPTOMS, REMARKS = (_with_role(role) for role in (CAUSE, SYMPTOM, REMARK))
