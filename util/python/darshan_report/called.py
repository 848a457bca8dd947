"""The name under which a command prints its messages and its usage: "darshan COMMAND", or the
program's own name."""

from __future__ import annotations

import os

# `darshan COMMAND` sets it for the program that it becomes. Child processes must not inherit it.
_typed = os.environ.pop("DARSHAN_CALLED_AS", "")


def called_as(program: str) -> str:
    """Returns what the user typed: "darshan COMMAND", or the program's own name."""
    return _typed or program
