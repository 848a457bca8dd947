"""Finds files that are renamed when they are full, such as rotated logs."""

from __future__ import annotations

import os

import numpy as np

from ...measure.files import rotated
from ..facts import Facts, once
from ..table import Table


@once
def ids(facts: Facts) -> np.ndarray:
    """Returns the record ids of the files that are rotated (renamed when they are full, and begun
    anew), and of their older versions."""
    posix = facts.table("POSIX")
    often = int(facts.limits["opens.again"])
    found = rotated.rotated(posix, facts.own_name, often) if posix is not None else frozenset()
    return np.fromiter(sorted(found), "u8", len(found))


def missed(facts: Facts, extra: Table) -> np.ndarray:
    """Returns a mask of the folders in which a program that rotates logs looks for older versions.
    extra: the table that counts failed look-ups, with a record per folder."""
    posix, found = facts.table("POSIX"), ids(facts)
    if posix is None or not len(found):
        return np.zeros(len(extra), bool)
    folders = {os.path.dirname(facts.own_name(int(number))) for number in found}
    return np.array([facts.own_name(int(number)) in folders for number in extra.ids])
