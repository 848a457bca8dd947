"""Prints the messages of the commands of lakes."""

from __future__ import annotations

import sys

from ...show.text import visible


def say(program: str, text: str) -> None:
    """Prints one line on stderr; control characters of names are escaped."""
    print(f"{program}: {visible(text)}", file=sys.stderr, flush=True)


def why(error: OSError) -> str:
    """Returns the error text of a system call, with the path if the error names one."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
