"""One file per diagnosis, in a folder for each subject. Each file defines NAME, ROLE and
find(facts), which yields its findings. A file in these folders is a rule without further
registration."""

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
    """The names that every file of a rule defines."""

    NAME: str
    ROLE: str

    def find(self, facts: Facts, /) -> Iterator[Finding]:
        """Yields the findings of a log."""


def modules() -> dict[str, ModuleType]:
    """Returns the modules of all rules by their names, without those of folders, in order."""
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
