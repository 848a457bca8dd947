"""Parses the name of a call site into its stack. doc/call-sites.md has the grammar."""

from __future__ import annotations

import functools
import re
from typing import Union

from ..classes import dataclass

# Functions that start a process, as a pattern. A wait is counted for the start by vfork, which has
# no site.
STARTS = r"(?:fork|posix_spawnp?|system|popen|wait(?:pid|[34])?)$"
UNKNOWN = "?"  # the first element of a site whose stack was not looked at
IMPORT = "import"  # the first element of a site of Python's import machinery
_ENDS = ("?", "...")  # last elements: the rest of the stack is not known, or was cut
_ELEMENTS = 256  # of a name that are read; the runtime writes fewer
_NATIVE = re.compile(r"(.+)\+([0-9a-f]{1,16})", re.DOTALL)
_PYTHON = re.compile(r"(.+):([0-9]{1,9}):([^:]*)", re.DOTALL)
_ESCAPED = re.compile("%([0-9A-F]{2})")
_OBJECT = re.compile(r"object ([^ ]+) (-|(?:[0-9a-f]{2}){1,64}) (/.*)", re.DOTALL)


@dataclass(frozen=True)
class Native:
    """A native frame: an address in a program or a library."""

    object: str  # short name, by which Object.short has the path
    offset: int  # where the call returns to, as an address in the file


@dataclass(frozen=True)
class Python:
    """A frame that is known by its source line: of Python, a shell, Perl, Java or JavaScript."""

    path: str
    line: int
    function: str  # qualified from Python 3.11 on


Frame = Union[Native, Python]


@dataclass(frozen=True)
class Stack:
    """The stack of a call site: the function that the program called, and the frames that led to
    the call, innermost first."""

    called: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Object:
    """A program or library that a log names: its path, the short name by which frames refer to it,
    and its build id (hexadecimal digits; empty if the file has none)."""

    short: str  # name in native frames
    build_id: str  # hexadecimal digits
    path: str


def _plain(text: str) -> str:
    """Returns a text with each escape %XX replaced by its character."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


@functools.lru_cache(maxsize=4096)  # stacks have most of their frames in common
def _frame(element: str) -> Frame | None:
    if found := _NATIVE.fullmatch(element):
        return Native(_plain(found[1]), int(found[2], 16))
    if found := _PYTHON.fullmatch(element):
        return Python(_plain(found[1]), int(found[2]), _plain(found[3]))
    return None


def stack_of(name: str) -> Stack:
    """Returns the stack that the name of a call site's record describes. An element outside of the
    grammar, or one that says that the rest is unknown, ends the stack."""
    called, *elements = name.split(";", _ELEMENTS)
    frames: list[Frame] = []
    for element in elements[: _ELEMENTS - 1]:
        frame = None if element in _ENDS else _frame(element)
        if frame is None:
            break
        frames.append(frame)
    return Stack(_plain(called), tuple(frames))


def object_of(name: str) -> Object | None:
    """Returns the program or library that the name of a record of the module SITES describes; None
    for other names."""
    found = _OBJECT.fullmatch(name)
    if not found:
        return None
    return Object(_plain(found[1]), found[2].replace("-", ""), _plain(found[3]))
