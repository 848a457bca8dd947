"""Writes the linker script runtime/start-order.ld for libdarshan.so.

It lists the functions and data of the library that every process uses at its start and end.

    darshan-test/bench/start_order.py BUILD

Valgrind shows which functions, constants and variables of libdarshan.so small processes use, and in
which order. The linker places them side by side, so that an idle process needs few pages of the
library: the kernel maps 16 at each fault. A name in the list that no longer exists costs nothing; a
function that is missing in the list costs a page."""

from __future__ import annotations

import argparse
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TREE = Path(__file__).resolve().parents[2]
ORDER = TREE / "runtime" / "start-order.ld"
LIBRARY = "libdarshan.so"
SHELL = "while read -r line; do echo $line; done </proc/self/maps; echo 1 >file; cat file >copy"
# Programs whose accesses to the library are traced in order.
TRACED = (["cat", "/proc/self/maps"], ["sh", "-c", SHELL])
# Programs of which only the executed instructions are noted: their trace has no address of the
# library, and the trace of the last would have gigabytes.
OTHERS = (["sleep", "0"], [os.path.realpath(sys.executable), "-c", "pass"])

HEAD = """/* Made by darshan-test/bench/start_order.py: what a small process touches of the library,
 * in the order in which it does.  Side by side, this takes few pages of an idle process. */
"""
# Section of variables that are seldom used.
SELDOM = ".bss.seldom"
PAGE = 4096
# Bytes from which on a variable counts as memory of which only a part is used.
LARGE = 1 << 16
# Beginnings of sections' names.
KINDS = (".text", ".rodata", ".data", ".bss")
# Sections of strings and constants, which the linker merges, so that they stay together.
MERGED_ALL = [f"*(.rodata.{kind}* .rodata.*.{kind}*)" for kind in ("str", "cst")]
MERGED = re.compile(r"\.rodata(\..+)?\.(str|cst)[0-9.]+$")


class Piece(NamedTuple):
    """An input section of libdarshan.so (a function, constant or variable), its object file, and
    the address and size in bytes that the linker gave it."""

    start: int
    size: int
    section: str
    file: str


def pieces_of(text: str) -> list[Piece]:
    """Returns the input sections of the linker's map `text` that start_order may reorder, sorted by
    address."""
    row = re.compile(r"^ (\.[\w.]+|COMMON)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
    body = text.partition("Linker script and memory map")[2]
    found = [
        Piece(int(start, 16), int(size, 16), section, file)
        for section, start, size, file in row.findall(body)
    ]
    ours = ("libdarshan_so-", ".a(", "/crtbegin")
    return sorted(
        one
        for one in found
        if one.size and one.section.startswith(KINDS) and any(word in one.file for word in ours)
    )


def link(build: Path, scratch: Path) -> list[Piece]:
    """Links the library again, unchanged, to get the linker's map. Returns its input sections,
    sorted by address. scratch: folder for the map."""
    (build / LIBRARY).unlink(missing_ok=True)
    command = ["make", "-C", str(build), LIBRARY, f"LDFLAGS=-Wl,-Map,{scratch}/map"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return pieces_of((scratch / "map").read_text())


def settings(scratch: Path) -> dict[str, str]:
    """Returns the environment of a program that Valgrind observes. scratch: folder for its logs and
    journals."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {
        **kept,
        "LANG": "C.UTF-8",  # the C library opens its files at the start
        "DARSHAN_ENABLE_NONMPI": "1",
        "DARSHAN_LOGPATH": str(scratch),
        "DARSHAN_MMAP_LOGPATH": str(scratch),
    }


def loader_of(program: str) -> str:
    """Returns the path of a program's loader."""
    text = subprocess.check_output(["readelf", "-l", program], text=True)
    found = re.search(r"interpreter: (.+)\]", text)
    assert found, program
    return found[1]


def under_valgrind(
    build: Path, scratch: Path, options: list[str], command: list[str], *, first: bool
) -> str:
    """Runs a program under Valgrind with the runtime, and returns the program's standard output.
    first: whether the program is the root process of a run; otherwise another program starts it.

    The root process gets the library from the loader's --preload: if the environment named it,
    Valgrind's own start would become the root process."""
    library = str(build / LIBRARY)
    program = shutil.which(command[0]) or command[0]
    loader = [loader_of(program), "--preload", library] if first else []
    preload = {} if first else {"LD_PRELOAD": library}
    said, errors = scratch / "said", scratch / "errors"  # files, because the runtime records them
    with said.open("w") as output, errors.open("w") as error:
        subprocess.run(
            ["valgrind", *options, *loader, program, *command[1:]],
            cwd=scratch,
            env={**settings(scratch), **preload},
            stdout=output,
            stderr=error,
            check=True,
        )
    return said.read_text()


class Touch(NamedTuple):
    """An address of the library, relative to its load address, that a program runs or reads, or
    writes (`written`)."""

    address: int
    written: bool = False


def traced(build: Path, scratch: Path, command: list[str], *, first: bool) -> Iterator[Touch]:
    """Runs a program under Valgrind's lackey. Yields every address of the library that it uses, in
    order. first: whether the program is the root process of a run."""
    trace = scratch / "trace"
    trace.unlink(missing_ok=True)
    options = ["--tool=lackey", "--trace-mem=yes", f"--log-file={trace}"]
    said = under_valgrind(build, scratch, options, command, first=first)
    starts = [line for line in said.splitlines() if line.endswith(LIBRARY)]
    base, end = (int(line.split("-")[0], 16) for line in (starts[0], starts[-1]))
    with trace.open() as lines:
        for line in lines:
            if line[:2] in ("I ", " L", " S", " M"):
                address = int(line[3:].split(",")[0], 16) - base
                if 0 <= address < end - base + (1 << 20):
                    yield Touch(address, line[1] in "SM")


def run(build: Path, scratch: Path, command: list[str]) -> Iterator[Touch]:
    """Runs a program under callgrind. Yields the addresses of the library's instructions that it
    executes, in no particular order."""
    out = scratch / "instructions"
    options = ["--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={out}"]
    under_valgrind(build, scratch, options, command, first=True)
    objects: dict[str, str] = {}
    here, address = "", 0
    for line in out.read_text().splitlines():
        if found := re.match(r"(c?)ob=(\(\d+\))(?: (.*))?", line):
            objects.setdefault(found[2], found[3] or "")
            if not found[1]:
                here = objects[found[2]]
        elif found := re.match(r"(0x|[+]|-)?([0-9a-f]+|\*) ", line):
            if found[1] == "0x":
                address = int(found[2], 16)
            elif found[1]:
                address += int(found[1] + found[2])
            if here.endswith(LIBRARY):
                yield Touch(address)


def pattern(piece: Piece) -> str:
    """Returns a linker script's pattern for the section; it matches any number that the compiler
    gave to a copy of a function."""
    plain = piece.section in KINDS
    if not plain:
        name = re.sub(r"(\.(constprop|isra|part|cold|\d+))+$", "", piece.section)
        return f"*({name} {name}.*)"
    if found := re.search(r"([^/]+\.a)\((.+)\)$", piece.file):
        return f"*{found[1]}:{found[2]}({piece.section})"
    name = piece.file.rpartition("/")[2].rpartition("_so-")[2]
    return f"*{name}({piece.section})"


def touched(pieces: list[Piece], touches: Iterator[Touch], into: dict[Piece, int]) -> set[Piece]:
    """Adds the sections that hold the touched addresses to `into`, with a number in the order of
    first use. Returns those that were written. pieces: all sections, sorted by address."""
    starts = [piece.start for piece in pieces]
    written: set[Piece] = set()
    last = None
    for address, writes in touches:
        if not (last and last.start <= address < last.start + last.size):
            at = bisect.bisect_right(starts, address) - 1
            if at < 0 or address >= pieces[at].start + pieces[at].size:
                continue
            last = pieces[at]
            into.setdefault(last, len(into))
        if writes:
            written.add(last)
    return written


def of_kind(kind: str, pieces: list[Piece]) -> list[Piece]:
    """Returns the sections of a kind whose constants are not merged. kind: of KINDS."""
    return [
        one for one in pieces if one.section.startswith(kind) and not MERGED.search(one.section)
    ]


def section(name: str, where: str, patterns: list[str]) -> str:
    """Returns the text of an output section. where: its place, such as "BEFORE .init"."""
    body = "".join(f"    {one}\n" for one in dict.fromkeys(patterns))
    return f"SECTIONS\n{{\n  {name} :\n  {{\n{body}  }}\n}}\nINSERT {where};\n"


def script(order: list[Piece], idle: set[Piece]) -> str:
    """Returns the linker script for the used sections, in the order of their use; idle: the
    sections that an idle process writes. Constants that an idle process reads come before the code,
    next to the symbol tables. Variables that an idle process writes come before others, because a
    page that is only read takes no memory. Small variables come before large ones, because mostly
    the first bytes of a large one are written."""
    read = [pattern(one) for one in of_kind(".rodata", order)]
    small = [one for one in of_kind(".bss", order) if one.size < LARGE and one.section != SELDOM]
    variables = sorted(small, key=lambda one: (one not in idle, min(one.size, PAGE)))
    return (
        HEAD
        + section(".rodata.of_all", "BEFORE .init", [*MERGED_ALL, *read])
        + section(".text.of_all", "BEFORE .text", [pattern(one) for one in of_kind(".text", order)])
        + section(".bss.of_all", "AFTER .data", [pattern(one) for one in variables])
        + section(SELDOM, "AFTER .bss", [f"*({SELDOM})"])
    )


def main() -> None:
    """Measures the parts of the library that programs use, and writes the list."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path)
    build = parser.parse_args().build.resolve()
    found: dict[Piece, int] = {}
    idle: set[Piece] = set()
    with tempfile.TemporaryDirectory(prefix="darshan-order-") as name:
        scratch = Path(name)
        pieces = link(build, scratch)
        for whole, other in zip(TRACED, OTHERS):
            for first in (True, False):
                written = touched(pieces, traced(build, scratch, whole, first=first), found)
                idle |= written if whole is TRACED[0] else set()
            touched(pieces, run(build, scratch, other), found)
    order = sorted(found, key=found.__getitem__)
    ORDER.write_text(script(order, idle))
    for kind in KINDS:
        sizes = [one.size for one in order if one.section.startswith(kind)]
        print(f"{kind}: {len(sizes)} of {sum(sizes)} bytes")


if __name__ == "__main__":
    main()
