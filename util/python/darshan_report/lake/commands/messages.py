"""Prints the messages of the commands of lakes."""

from __future__ import annotations

import sys

from ...show.text import visible


def say(program: str, text: str) -> None:
    """Prints one line on stderr. Control characters, which names may contain, are escaped."""
    print(f"{program}: {visible(text)}", file=sys.stderr, flush=True)


def why(error: OSError) -> str:
    """Returns the message of a failed system call, with its path if the error has one."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
