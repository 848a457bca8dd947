"""Compares the lines that the runtime's function python_line finds with those that this Python
reports: lines.py PROBE_LIBRARY

Compiles modules of the standard library, and texts with unusual lines, and requests the line of
every instruction. Prints the number of instructions; fails at the first difference."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import types
from pathlib import Path

MODULES = ("argparse", "ast", "asyncio.base_events", "dataclasses", "inspect", "tarfile", "typing")
LNOTAB, LINETABLE, LOCATIONS = range(3)  # enum python_lines
probe = ctypes.CDLL(sys.argv[1])
probe.probe_line.restype = ctypes.c_uint32
probe.probe_line.argtypes = (
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.c_long,
)
addr2line = ctypes.pythonapi.PyCode_Addr2Line
addr2line.argtypes = (ctypes.py_object, ctypes.c_int)


def texts():
    for name in MODULES:
        yield Path(importlib.util.find_spec(name).origin).read_text(encoding="utf-8")
    for gap in (1, 126, 127, 128, 129, 254, 255, 256, 32767, 70000):
        yield "x = 1\n" + "\n" * gap + "x = (\n" + "\n" * gap + "2 +\n\n x)\n"
    names = ", ".join(f"a{n}" for n in range(400))
    yield f"def f({names}):\n return [\n" + "".join(f"a{n},\n" * (n % 3) for n in range(400)) + "]"
    yield "def f(x):\n try:\n  with x as y, y as z:\n   return (yield x)\n finally:\n  del x"
    yield "async def f(x):\n async with x as y:\n  async for z in y:\n   await z\n return None"


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def table_of(code):
    """Returns the format of a code object's line table (as in enum python_lines), and its bytes."""
    if sys.version_info < (3, 10):
        return LNOTAB, code.co_lnotab
    return (LINETABLE if sys.version_info < (3, 11) else LOCATIONS), code.co_linetable


def main():
    count = 0
    for text in texts():
        for code in codes(compile(text, "file", "exec", dont_inherit=True)):
            form, table = table_of(code)
            for at in (-1, *range(0, len(code.co_code), 2)):
                line = probe.probe_line(form, table, len(table), code.co_firstlineno, at)
                said = addr2line(code, at)
                if line != max(said, 0):
                    sys.exit(f"{code}: instruction {at}: {line}, Python says {said}")
                count += 1
    print(count)


main()
