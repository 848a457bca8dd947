"""Decides to which user a log belongs: to the owner of the file, because any user can choose the
name of a file."""

from __future__ import annotations

import functools
import os
import pwd
import re
from collections.abc import Iterable

from ...classes import dataclass
from ..read.files import shown


@dataclass(frozen=True)
class Owner:
    """The owner of a log's file, and the user in the file's name; "" if the owner has no name, or
    the file's name no user."""

    owner: str = ""
    named: str = ""
    # The owner counts if it is neither root nor the collector's user, who may have copied logs of
    # other users.
    is_user: bool = False

    @property
    def user(self) -> str:
        """The user for the tables; "" if only the log itself names one."""
        return self.owner if self.is_user else self.named

    @property
    def forged(self) -> bool | None:
        """Whether the file's name has another user than the owner; False if it has no user; None if
        the owner does not count (is_user)."""
        return (self.named not in ("", self.owner)) if self.is_user else None


def _named(path: str, users: Iterable[str], command: str) -> str:
    """Returns the user in a log's file name, <user>_<program>_id<job>-...; "" if the name has
    another form, or a user id in the place of the user. Both names may contain "_", so `command`
    decides which part is the program. users: users with whose names the file name may begin."""
    name = os.path.basename(shown(path))
    if not (found := re.match(r"([^_/]+)_.*_id\d+", name, re.DOTALL)):
        return ""
    program = os.path.basename(command.split(None, 1)[0]) if command.strip() else ""
    before, behind, _ = name.partition(f"_{program}_id") if program else ("", "", "")
    known = (user for user in users if user and name.startswith(user + "_"))
    user = before if before and behind else next(known, found[1])
    return "" if user.isdecimal() else user


@functools.lru_cache(maxsize=65536)
def name(number: int) -> str:
    """Returns the name of a user of this machine, or the user id as text if it has no name. number:
    the user id."""
    try:
        return shown(pwd.getpwuid(number).pw_name)
    except KeyError:
        return str(number)


def of(path: str, owner: int, uid: int | None = None, command: str = "") -> Owner:
    """Returns to whom a log belongs: the owner of its file, and the user in the file's name (class
    Owner says which of them counts). owner: user id of the file. uid, command: user id and command
    line in the log, if it was read; they show where the user ends in the name."""
    is_user = owner not in (0, os.getuid())
    users = [name(number) for number in (owner, uid) if number is not None and number > 0]
    return Owner(name(owner), _named(path, users, command), is_user)
