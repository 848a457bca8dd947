"""Determines which programs the runtime can instrument: those that glibc's loader starts, without
Darshan's own tools."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

# Part of the name of glibc's loader. musl's loader cannot load the runtime, and static programs
# have no loader.
LOADERS = (b"ld-linux",)


@cache
def loader_of(path: str) -> bytes:
    """Returns the path of the program interpreter of an ELF file; b"" if it is linked
    statically."""
    data = Path(path).read_bytes()
    start, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, start + number * size)
        if kind == 3:  # PT_INTERP
            return data[offset : offset + length].rstrip(b"\0")
    return b""


def dynamic(path: str) -> bool:
    """Returns whether glibc's loader starts a program, or the interpreter of a script; True if the
    file cannot be read."""
    try:
        with Path(path).open("rb") as file:
            first = file.read(128)
    except OSError:  # a temporary file of a compiler, which is gone
        return True
    if first[:2] == b"#!":
        words = first[2:].split(b"\n")[0].split()
        return bool(words) and dynamic(words[0].decode())
    if first[:4] != b"\x7fELF":
        return True
    return any(name in loader_of(path) for name in LOADERS)


def watched_in(build: Path) -> Callable[[str], bool]:
    """Returns a function that tells whether a program, given by its path, is recorded; Darshan's
    own tools in the build folder are not."""
    ours = {str(build / name) for name in ("darshan", "darshan-merge", "darshan-parser")}
    return lambda path: path not in ours and dynamic(path)
