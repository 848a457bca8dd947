"""Runs programs under strace, and parses the output of `strace -f -yy` into a Call for each
finished system call."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LINE = re.compile(r"(\d+)\s+(.*)")
UNFINISHED = " <unfinished ...>"
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
WHOLE = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(.*)", re.S)
DESCRIPTOR = re.compile(r"(-?\d+|AT_FDCWD)(?:<(.*)>(?:\(deleted\))?)?", re.S)
ANNOTATED = re.compile(r"[\d)D]<")


def for_command(variables: Mapping[str, str]) -> list[str]:
    """Returns options of strace that give variables to the command and not to strace itself."""
    return [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]


@dataclass
class Call:
    """A system call that returned."""

    pid: int
    name: str
    arguments: list[str]  # as strace prints them
    result: int  # -1 if the call failed
    started: int  # line of the trace on which the call began
    ended: int  # line of the trace on which the call returned

    @property
    def text(self) -> str:
        """Returns all arguments as one text, for flags at any position."""
        return ", ".join(self.arguments)


def unescape(text: str) -> str:
    """Converts a string that strace escaped to a file name of Python."""
    return os.fsdecode(codecs.escape_decode(text.encode("latin-1"))[0])


def quoted(argument: str) -> str:
    """Returns the path in an argument that strace printed in quotes."""
    return unescape(argument[1 : argument.rindex('"')])


def descriptor(argument: str) -> tuple[int, str | None]:
    """Returns a descriptor (-100 for AT_FDCWD) and the path that strace prints for it, None if it
    prints none. Returns (-1, None) for an argument that is no descriptor."""
    found = DESCRIPTOR.fullmatch(argument)
    if not found:
        return -1, None
    number = -100 if found[1] == "AT_FDCWD" else int(found[1])
    return number, unescape(found[2]) if found[2] is not None else None


def skip_quotes(text: str, at: int) -> int:
    """Returns the index after the end of the string whose first quote is at index `at`."""
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def skip_annotation(text: str, at: int) -> int:
    """Returns the index after the `<...>` that strace prints after a descriptor and that begins at
    index `at`; it may contain further brackets."""
    depth = 0
    while at < len(text):
        if text[at] == "<":
            depth += 1
        elif text[at] == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


def split_arguments(text: str) -> list[str]:
    """Returns the arguments, split at the commas outside quotes, brackets and annotations."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        character = text[at]
        if character == '"':
            at = skip_quotes(text, at)
            continue
        if at > 0 and ANNOTATED.match(text, at - 1) and text[at + 1 : at + 2] != "<":
            at = skip_annotation(text, at)
            continue
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def call_of(pid: int, text: str, started: int, ended: int) -> Call | None:
    """Returns a Call from its complete line, which has no process id; None for a call that never
    returned, and for a line about a signal or an exit. started, ended: see Call."""
    found = WHOLE.fullmatch(text)
    if not found or found[3] == "?":
        return None
    return Call(pid, found[1], split_arguments(found[2]), int(found[3], 0), started, ended)


def read_trace(path: Path) -> list[Call]:
    """Returns the calls of all processes in the order in which they returned. Calls that never
    returned, and calls that began before strace attached, are left out."""
    pending: dict[int, tuple[str, int]] = {}
    calls = []
    for number, line in enumerate(path.read_text(encoding="latin-1").split("\n")):
        found = LINE.fullmatch(line)
        if not found:
            continue
        pid, text, started = int(found[1]), found[2], number
        resumed = RESUMED.fullmatch(text)
        if resumed:
            if pid not in pending:  # the call began before strace attached
                continue
            text, started = pending.pop(pid)
            text += resumed[2]
        if text.endswith(UNFINISHED):
            pending[pid] = (text[: -len(UNFINISHED)], started)
            continue
        call = call_of(pid, text, started, number)
        if call:
            calls.append(call)
    return calls
