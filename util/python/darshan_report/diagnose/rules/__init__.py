"""One file per diagnosis, in a folder for each subject. Each file defines NAME, the diagnosis;
ROLE, its place in the report; and find(facts), which yields its findings. A file in these folders
is a rule without further registration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Protocol, cast

from ..facts import Facts
from ..finding import CAUSE, REMARK, SYMPTOM, Finding


class Rule(Protocol):
    """The names that every file of a rule defines, for type checkers."""

    NAME: str
    ROLE: str

    def find(self, facts: Facts, /) -> Iterator[Finding]:
        """Yields the findings of the rule for one log, none if the diagnosis does not apply. facts:
        of the log."""


def modules() -> dict[str, ModuleType]:
    """Returns the modules of all rules by the names of their files, sorted; folders are not
    included."""
    names = {
        module.name: f"{__name__}.{folder.name}.{module.name}"
        for folder in iter_modules(__path__)
        for module in iter_modules([os.path.join(path, folder.name) for path in __path__])
    }
    return {name: import_module(names[name]) for name in sorted(names)}


_RULES = tuple(cast(Rule, module) for module in modules().values())
CAUSES, SYMPTOMS, REMARKS = (
    tuple(rule for rule in _RULES if role == rule.ROLE) for role in (CAUSE, SYMPTOM, REMARK)
)
