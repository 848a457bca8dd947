"""Finds functions and lines of addresses with the program eu-addr2line of elfutils, or addr2line of
binutils.

The program runs as a process with limits of time, memory and output, because the debug information
of an untrusted file may be damaged or malicious."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from ...classes import dataclass

PROGRAMS = ("eu-addr2line", "addr2line")  # the first one that is installed
BINUTILS = PROGRAMS[1:]  # slower, but finds functions that rustc inlined
_MEMORY = 8 << 30  # bytes of address space
_OUTPUT = 64 << 20  # bytes
_INLINED = 64  # functions at one address
_NAME = 1000  # characters of a function or a path
_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})")
_PLACE = re.compile(r"(.*?):([0-9]{1,9})(?::[0-9]{1,9})?(?: \(discriminator [0-9]+\))?")
# eu-addr2line repeats the content of the next lines on the first line.
_REPEATED = re.compile(r" inlined at .* in .*$")
_UNKNOWN = "??"


@dataclass(frozen=True)
class Source:
    """A function, and a line in it. An unknown name is "", an unknown line 0."""

    function: str
    file: str
    line: int


def program(names: Sequence[str] = PROGRAMS) -> str:
    """Returns the path of the first installed program of `names`; "" if none is installed."""
    found = next(filter(None, map(shutil.which, names)), "")
    return os.path.abspath(found) if found else ""


def sources(
    path: str, addresses: Sequence[int], seconds: float, names: Sequence[str] = PROGRAMS
) -> dict[int, tuple[Source, ...]]:
    """Returns the functions and lines of addresses in a program or library, by address, innermost
    first if functions are inlined. Leaves out addresses without a known function or line. path: the
    file. addresses: as in the file. After `seconds` it stops and returns the results found until
    then. names: the programs to use, the first installed one; empty result if none is."""
    tool = program(names)
    if not tool or not addresses or seconds <= 0:
        return {}
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as told:
        asked.write("".join(f"0x{address:x}\n" for address in addresses).encode())
        asked.seek(0)
        try:
            _run([tool, "-a", "-f", "-i", "-C", "-e", path], asked, told, seconds)
        except OSError:
            return {}
        told.seek(0)
        text = told.read(_OUTPUT).decode("utf-8", "replace")
    return dict(_parsed(text.split("\n")))


def _run(command: list[str], asked: IO[bytes], told: IO[bytes], seconds: float) -> None:
    """Runs a command with limits of memory, output and processor time, and kills it after
    `seconds`. Ignores its exit status. asked, told: its standard input and output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DEBUGINFOD_", "LD_"))}
    with subprocess.Popen(
        command, stdin=asked, stdout=told, stderr=subprocess.DEVNULL, cwd="/", env=environment
    ) as process:
        limits = (
            (resource.RLIMIT_AS, _MEMORY),
            (resource.RLIMIT_FSIZE, _OUTPUT),
            (resource.RLIMIT_CPU, int(seconds) + 1),
            (resource.RLIMIT_CORE, 0),
        )
        try:
            with contextlib.suppress(OSError, ValueError):  # it ended, or has lower limits
                for kind, most in limits:
                    resource.prlimit(process.pid, kind, (most, most))
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        except BaseException:
            process.kill()
            raise


def _parsed(lines: list[str]) -> Iterator[tuple[int, tuple[Source, ...]]]:
    """Parses the output of addr2line. Yields for each address its functions with file and line, the
    innermost first."""
    starts = [place for place, line in enumerate(lines) if _ADDRESS.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        pairs = lines[start + 1 : min(end, start + 1 + 2 * _INLINED)]
        found = tuple(_source(function, place) for function, place in zip(pairs[::2], pairs[1::2]))
        if found and any(one.function or one.file for one in found):
            yield int(lines[start], 16), found


def _source(function: str, place: str) -> Source:
    name = _REPEATED.sub("", function)[:_NAME]
    found = _PLACE.fullmatch(place)
    file = found[1][:_NAME] if found else _UNKNOWN
    line = int(found[2]) if found else 0
    if file.startswith(_UNKNOWN) or line == 0:
        file, line = "", 0
    return Source("" if name.startswith(_UNKNOWN) else name, file, line)
