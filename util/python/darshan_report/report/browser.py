"""Opens a file in the user's browser."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

_SECONDS = 2.0  # seconds; a command that still runs after this time is taken to show the page


def _commands(address: str) -> Iterator[list[str]]:
    """Yields the commands to try for opening an address: first the commands in the variable
    BROWSER, which separates them by colons, then xdg-open. %s in a command is replaced by the
    address; without %s it is appended."""
    for text in os.environ.get("BROWSER", "").split(":"):
        try:
            words = shlex.split(text)
        except ValueError:  # a quotation mark without the other one
            continue
        if words:
            has_place = any("%s" in word for word in words)
            yield [word.replace("%s", address) for word in words] + [address] * (not has_place)
    yield ["xdg-open", address]


def show(path: str) -> bool:
    """Opens a file in a browser; returns whether a browser started. Never raises, and does not wait
    for the browser to end."""
    for command in _commands(Path(os.path.abspath(path)).as_uri()):
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError:
            continue
        try:
            if child.wait(_SECONDS) == 0:
                return True
        except subprocess.TimeoutExpired:
            return True
    return False
