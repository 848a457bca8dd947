"""How much of the caller's stack each exported function needs, by the compiler's word.

GCC's -fcallgraph-info=su writes a .ci file beside each object: every function with the size
of its frame, and whom it calls.  From these this computes, for each wrapper, the deepest
path through functions of ours.  The path ends where a real function is called (its needs are
the application's, with us and without us), and where intercept/stack.h goes over to memory of
ours.

    stack_usage.py BUILD [-v]     the worst path of each function, deepest first
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

MOST = 1536  # bytes of the caller's stack, on any path

NODE = re.compile(
    r'^node: \{ title: "\*?([^"]+)" label: "[^"\\]*\\n([^"\\]+):\d+:\d+'
    r"(?:\\n(\d+) bytes \(([a-z,]+)\))?"
)
EDGE = re.compile(r'^edge: \{ sourcename: "\*?([^"]+)" targetname: "\*?([^"]+)"')
INDIRECT = "__indirect_call"

# Indirect calls among our own functions; all others call real functions, or
# functions of the application's libraries.
OURS: dict[str, tuple[str, ...]] = {}

# What the C library's functions need that are called on the caller's stack;
# measured with glibc 2.36 and rounded up.
LIBC: dict[str, int] = {}


@dataclass
class Function:
    """A frame, and the functions that are called from it."""

    name: str
    place: str
    frame: int = 0
    unbounded: bool = False
    calls: set[str] = field(default_factory=set)


@dataclass
class Path_:
    """The deepest way down from a function."""

    depth: int
    names: tuple[str, ...]


class CallGraph:
    """The functions of all .ci files."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.functions: dict[str, Function] = {}
        self.deepest: dict[str, Path_] = {}
        self.problems: set[str] = set()
        for file in files:
            self.read(file)

    def read(self, file: Path) -> None:
        """Adds the functions that one object file holds, and what they call."""
        for line in file.read_text().splitlines():
            if node := NODE.match(line):
                name, place, size, kind = node.groups()
                if size is not None:
                    function = self.functions.setdefault(name, Function(name, place))
                    function.frame = int(size)
                    function.unbounded = kind == "dynamic"
            elif edge := EDGE.match(line):
                source = self.functions.setdefault(edge[1], Function(edge[1], ""))
                source.calls.add(edge[2])

    def targets(self, function: Function) -> set[str]:
        """Whom it calls, among our own functions and libc's."""
        direct = {name for name in function.calls if name != INDIRECT}
        return direct | set(OURS.get(short(function.name), ()))

    def worst(self, name: str, above: tuple[str, ...] = ()) -> Path_:
        """The deepest path from here."""
        if name in self.deepest:
            return self.deepest[name]
        if name in above:
            self.problems.add(f"recursion: {' -> '.join(map(short, (*above, name)))}")
            return Path_(0, ())
        function = self.functions.get(name)
        if function is None or not function.place:
            plain = short(name)
            if plain not in LIBC:
                caller = short(above[-1]) if above else "programs"
                self.problems.add(f"not known what {plain} needs, called by {caller}")
            return Path_(LIBC.get(plain, 0), (plain,))
        if function.unbounded:
            self.problems.add(f"unbounded frame: {short(name)}")
        below = [self.worst(target, (*above, name)) for target in self.targets(function)]
        deepest = max(below, key=lambda path: path.depth, default=Path_(0, ()))
        self.deepest[name] = Path_(
            function.frame + deepest.depth, (f"{short(name)}:{function.frame}", *deepest.names)
        )
        return self.deepest[name]


def short(name: str) -> str:
    """The name without the file of a static function."""
    return name.rsplit(":", 1)[-1]


def exported(library: Path) -> set[str]:
    """The functions that a program can call."""
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] in "TW"}


def main() -> int:
    """The table of all exported functions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("build", type=Path)
    parser.add_argument("-v", action="store_true", help="print every path")
    options = parser.parse_args()
    graph = CallGraph(options.build.glob("runtime/**/libdarshan_so-*.ci"))
    paths = [graph.worst(name) for name in exported(options.build / "libdarshan.so")]
    paths.sort(key=lambda path: -path.depth)
    for path in paths:
        if options.v or path.depth > MOST:
            print(path.depth, " > ".join(path.names))
    for problem in sorted(graph.problems):
        print(problem)
    return int(bool(graph.problems) or any(path.depth > MOST for path in paths))


if __name__ == "__main__":
    sys.exit(main())
