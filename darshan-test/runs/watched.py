"""Which programs the runtime can be in."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

LOADERS = (b"ld-linux",)  # of glibc; musl's, and none at all, preload nothing of ours


@cache
def loader_of(path: str) -> bytes:
    """The program interpreter that an ELF file names; empty: none, it is linked statically."""
    data = Path(path).read_bytes()
    start, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, start + number * size)
        if kind == 3:  # PT_INTERP
            return data[offset : offset + length].rstrip(b"\0")
    return b""


def dynamic(path: str) -> bool:
    """Whether a program, or the interpreter of a script, is linked with glibc's loader."""
    try:
        with Path(path).open("rb") as file:
            first = file.read(128)
    except OSError:  # it is gone: what compilers leave in temporary folders
        return True
    if first[:2] == b"#!":
        words = first[2:].split(b"\n")[0].split()
        return bool(words) and dynamic(words[0].decode())
    if first[:4] != b"\x7fELF":
        return True
    return any(name in loader_of(path) for name in LOADERS)


def watched_in(build: Path) -> Callable[[str], bool]:
    """Programs that the runtime is in; our own tools say nothing of themselves."""
    ours = {str(build / name) for name in ("darshan", "darshan-merge", "darshan-parser")}
    return lambda path: path not in ours and dynamic(path)
