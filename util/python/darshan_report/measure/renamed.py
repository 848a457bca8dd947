"""Files that are written under a temporary name and then renamed: a user knows the last name. After
a rename that keeps the old version (x.bak, x.1), a user knows the first name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

_ASIDE = re.compile(r"(~|\.(bak|backup|old|orig|save|prev(ious)?|[0-9]{1,4}))(\.(gz|xz|zst|bz2))?$")


class PosixFiles(Protocol):
    """The POSIX records, joined by file."""

    ids: np.ndarray

    def has(self, name: str) -> bool: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def place(self, record: int) -> int | None: ...


def is_aside(name: str) -> bool:
    """Returns whether a name is that of an older version."""
    return bool(_ASIDE.search(name))


def finals(posix: PosixFiles, name: Callable[[int], str]) -> Mapping[int, int]:
    """Maps the id of a temporary file to the id of the last name of the file."""
    found: dict[int, int] = {}
    if not posix.has("RENAMED_FROM"):
        return found
    sources = posix["RENAMED_FROM"].astype("u8")
    for target in np.flatnonzero((posix["RENAME_TARGETS"] > 0) & (sources > 0)):
        number, source = int(posix.ids[target]), int(sources[target])
        place = posix.place(source)
        if place is None or source == number or number in found:
            continue
        # A program that reads a file by the name that it loses knows the file by that name.
        lasting = posix["BYTES_READ"][place] > 0 or posix["RENAME_SOURCES"][place] == 0
        if not lasting and not is_aside(name(number)):
            found[source] = number
    return found
