"""Remedies that darshan try can apply to a program from outside, one file per remedy. Each file
defines NAME, WHAT, CURES and plan(case). A file in this folder is a remedy without further
registration."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from ..planning.case import Case, Plan


class Remedy(Protocol):
    """The names that the module of each remedy defines."""

    NAME: str  # as users write it after --only
    WHAT: str  # text on what it does, for --list
    CURES: Sequence[str]  # how names of findings that it may cure begin

    def plan(self, case: Case, /) -> Plan | str:
        """Returns how the remedy is applied, or as a string the reason why it cannot be."""


REMEDIES: tuple[Remedy, ...] = tuple(
    cast(Remedy, import_module(f"{__name__}.{name}"))
    for name in sorted(module.name for module in iter_modules(__path__))
)
