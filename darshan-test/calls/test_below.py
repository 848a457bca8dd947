"""The system calls that libc makes for calls on streams (STDIO_EXT), and waits at named pipes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lab.environment import plain
from lab.watch import watch

# The programs call libc; a buffer of 4096 bytes is this file system's or is set.
HEAD = """
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
for name in ("fopen", "fdopen"):
    getattr(libc, name).restype = ctypes.c_void_p
room, text = ctypes.create_string_buffer(1 << 16), ctypes.create_string_buffer(b"x" * 10000)
def opened(mode, size=4096, kind=0):
    stream = ctypes.c_void_p(libc.fopen(b"data", mode))
    buffer = ctypes.create_string_buffer(size) if size else None
    assert libc.setvbuf(stream, buffer, kind, ctypes.c_size_t(size)) == 0
    return stream, buffer
def wrote(stream, size, times):
    for _ in range(times):
        assert libc.fwrite(text, ctypes.c_size_t(1), ctypes.c_size_t(size), stream) == size
def read(stream, size, times):
    for _ in range(times):
        assert libc.fread(room, ctypes.c_size_t(1), ctypes.c_size_t(size), stream) == size
"""
FULL, LINES, NONE = 0, 1, 2  # modes of setvbuf
DATA = bytes(40960)


class Case(NamedTuple):
    """A program, and the STDIO_EXT counters that its file must have. All other counters except
    times are 0."""

    program: str
    counters: dict[str, int]


CASES = {
    "buffered-writes": Case(
        "s, b = opened(b'w'); wrote(s, 100, 100); libc.fclose(s)",
        {"DRAINS": 3, "DRAINED_BYTES": 10000, "BUFFER_BYTES": 4096},
    ),
    "large-buffer": Case(
        "s, b = opened(b'w', 65536); wrote(s, 100, 100); libc.fclose(s)",
        {"DRAINS": 1, "DRAINED_BYTES": 10000},  # by fclose, when the buffer no longer exists
    ),
    "flushed-writes": Case(
        "s, b = opened(b'w')\nfor _ in range(7): wrote(s, 10, 1); libc.fflush(s)\n"
        "libc.fflush(s); libc.fclose(s)",
        {"DRAINS": 7, "DRAINED_BYTES": 70, "FLUSH_DRAINS": 7, "BUFFER_BYTES": 4096},
    ),
    "lines": Case(
        f"s, b = opened(b'w', 4096, {LINES})\nfor _ in range(5): libc.fputs(b'a line\\n', s)\n"
        "libc.fclose(s)",
        {"DRAINS": 5, "DRAINED_BYTES": 35, "LINE_DRAINS": 5, "BUFFER_BYTES": 4096},
    ),
    "unbuffered-writes": Case(
        f"s, b = opened(b'w', 0, {NONE}); wrote(s, 10, 9); libc.fclose(s)",
        {"DRAINS": 9, "DRAINED_BYTES": 90, "UNBUFFERED": 9, "BUFFER_BYTES": 1},
    ),
    "buffered-reads": Case(
        "s, b = opened(b'r'); read(s, 64, 128); libc.fclose(s)",
        {"FILLS": 2, "FILLED_BYTES": 8192, "BUFFER_BYTES": 4096},
    ),
    "unbuffered-reads": Case(
        f"s, b = opened(b'r', 0, {NONE}); read(s, 8, 20); libc.fclose(s)",
        {"FILLS": 20, "FILLED_BYTES": 160, "UNBUFFERED": 20, "BUFFER_BYTES": 1},
    ),
    # Wide characters have a buffer of their own.
    "wide-reads": Case(
        "s, b = opened(b'r')\nfor _ in range(5000): assert libc.fgetwc(s) >= 0\nlibc.fclose(s)", {}
    ),
    "wide-writes": Case(
        "s, b = opened(b'w')\nfor _ in range(5000): libc.fputwc(120, s)\nlibc.fclose(s)", {}
    ),
    # The seek reads the block at its offset; within the buffer it moves a pointer.
    "seeks": Case(
        "s, b = opened(b'r'); read(s, 8, 1)\n"
        "for at in (8192, 8200, 8300, 24576): assert libc.fseek(s, at, 0) == 0; read(s, 8, 1)\n"
        "libc.fclose(s)",
        {"FILLS": 3, "FILLED_BYTES": 12288, "DISCARDS": 2, "BUFFER_BYTES": 4096},
    ),
    "pipe": Case(
        "os.remove('data'); os.mkfifo('data')\n"
        "def answer():\n    time.sleep(0.05); os.close(os.open('data', os.O_WRONLY))\n"
        "t = threading.Thread(target=answer); t.start()\n"
        "s = ctypes.c_void_p(libc.fopen(b'data', b'r')); libc.fclose(s); t.join()",
        {"FIFO_OPENS": 1},
    ),
}


def with_data(work: Path) -> None:
    """Writes the input file of all cases."""
    (work / "data").write_bytes(DATA)


@pytest.mark.parametrize("name", CASES)
def test_below(name: str, build: Path, tmp_path: Path) -> None:
    """STDIO_EXT has exactly these counters for the file of a Python program that calls libc's
    stream functions. name: of the case."""
    case = CASES[name]
    command = [sys.executable, "-c", HEAD + case.program]
    outcome = watch(build, tmp_path, command, setup=with_data, plain=plain())
    assert (outcome.status, len(outcome.logs)) == (0, 1), outcome.error
    log = outcome.log
    found = {
        row.short: row.value
        for row in log.rows
        if (row.module, row.name) == ("STDIO_EXT", f"{outcome.work}/data")
        and "_F_" not in row.counter
    }
    assert {key: value for key, value in found.items() if value} == case.counters
    if name == "pipe":  # 1 or 0, depending on whether the reader opens first
        assert log.total("POSIX_EXT_FIFO_OPENS") <= 1
