"""Whose job a log is of: the owner of its file, because everybody can choose a file's name."""

from __future__ import annotations

import functools
import os
import pwd
import re
from dataclasses import dataclass

from ..read.files import shown


@dataclass(frozen=True)
class Owner:
    """The owner of a log's file, and the user in its name; "" if unknown."""

    owner: str = ""
    named: str = ""
    # The owner is neither root nor the collector's user, who may have copied the logs of others.
    is_user: bool = False

    @property
    def user(self) -> str:
        """Returns the user of the tables; "" if only the log itself names one."""
        return self.owner if self.is_user else self.named

    @property
    def forged(self) -> bool | None:
        """Tells whether the name is of another user than the owner; None if that is not known."""
        return (self.named not in ("", self.owner)) if self.is_user else None


def _named(path: str) -> str:
    """Returns the user from a log's file name <user>_<program>_id<job>-..., or ""."""
    found = re.match(r"([^_/]+)_.*_id\d+", os.path.basename(shown(path)), re.DOTALL)
    return found[1] if found and not found[1].isdecimal() else ""


@functools.lru_cache(maxsize=65536)
def _name(number: int) -> str:
    """Returns the name of a user of this machine, or the number."""
    try:
        return shown(pwd.getpwuid(number).pw_name)
    except KeyError:
        return str(number)


def of(path: str, owner: int) -> Owner:
    """Returns the owner of a log's file; owner is the user's number."""
    return Owner(_name(owner), _named(path), owner not in (0, os.getuid()))
