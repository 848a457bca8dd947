"""Determines which files an interpreter or the dynamic linker reads as program, and not as data."""

from __future__ import annotations

import re

import numpy as np

from ..facts import Facts, once
from ..table import Table

_PROGRAM = re.compile(
    r"\.(py|pyc|pyi|so|js|mjs|cjs|jar|class|rdb|rdx|ji)$|\.so\.[0-9.]+$|"
    r"/(site-packages|dist-packages|node_modules|__pycache__|lib/python[0-9.]+|lib/R|julia)/"
)


def is_program(name: str) -> bool:
    """Returns whether a file is one that an interpreter or the dynamic linker reads as program, by
    its name or folder."""
    return bool(_PROGRAM.search(name))


@once
def which(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the table's files that an interpreter or the dynamic linker reads as
    program: no process writes them, and their name or folder is that of a program file. Records
    that stand for many program files are among them."""
    found: np.ndarray = table["BYTES_WRITTEN"] == 0
    for place in np.flatnonzero(found):
        found[place] = is_program(facts.name(int(table.ids[place])))
    found |= facts.programs(table)
    return found
