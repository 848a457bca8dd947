"""What the commands say, and how they end."""

from __future__ import annotations

import sys

from ...summary.text import visible


def say(program: str, text: str) -> None:
    """One line on stderr; a name from outside cannot steer the terminal."""
    print(f"{program}: {visible(text)}", file=sys.stderr, flush=True)


def why(error: OSError) -> str:
    """What a system call says, with the file if it names one."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text
