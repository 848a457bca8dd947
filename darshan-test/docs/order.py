"""Checks the include order of doc/architecture.md against the sources and, with python_order.py,
the layers of the Python package.

A file includes files of its own folder and of the folders that its folder's row names or, if the
row says "all above", of every folder in a row above. No row names a folder below it, so folders
form no circle. The check also finds circles of subjects: files of a folder whose names begin with
the same word are one subject (store.c, store.h, store-room.c). A module's row and tables
(module.def, records.h and the like) belong to runtime/format/, wherever they are stored."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import python_order

PAGE = "doc/architecture.md"
# The folder to which the tables of all modules belong.
FORMAT = "runtime/format/"
# Patterns of the files that may include others or be included.
SOURCES = ("*.c", "*.h", "*.S", "*.def")
# The folders in which a quoted include is searched, after the folder of the including file; "" is
# the tree itself.
PATHS = ("", "runtime", "runtime/format", "util/reader", "util/parser")
# A quoted include; the group is the included name.
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
# A row of the page's table: the folder, and the cell with the folders that it may include.
ROW = re.compile(r"^\| \d+ \| `([\w/-]+/)` \| (.*) \|$", re.MULTILINE)
# A table of a module, which belongs to FORMAT.
TABLE = re.compile(r"runtime/modules/[\w-]+/([\w-]+\.def|records\.h)$")

# Known violations: (folder or file, the file that it includes). A fixed one is an error until it is
# removed here.
KNOWN: frozenset[tuple[str, str]] = frozenset()
# Known circles. A fixed one is an error until it is removed here.
KNOWN_CIRCLES: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Include:
    """One #include line of a file of the tree: the including file and the included one, both
    relative to the tree, and the line number."""

    file: str
    line: int
    target: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: includes {self.target}"


def includes(tree: Path) -> Iterator[Include]:
    """Yields the #include lines in runtime/ and util/ that name a file of the tree; lines that name
    system headers are left out."""
    files = {
        path.relative_to(tree).as_posix(): path
        for top in ("runtime", "util")
        for kind in SOURCES
        for path in (tree / top).rglob(kind)
    }
    for name, path in sorted(files.items()):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            near = [PurePosixPath(name).parent, *map(PurePosixPath, PATHS)]
            for folder in near if found else []:
                target = resolved(folder / found[1])
                if target in files:
                    yield Include(name, number, target)
                    break


def resolved(path: PurePosixPath) -> str:
    """Returns the path without "..", which pathlib does not resolve."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@dataclass(frozen=True)
class Order:
    """The table of doc/architecture.md: the folders that each folder may include, by folder, in the
    table's order."""

    may: dict[str, tuple[str, ...]]

    @classmethod
    def read(cls, page: str) -> Order:
        """Parses the page's text. Raises ValueError if a row names a folder that is not above it,
        or if there are no rows."""
        may: dict[str, tuple[str, ...]] = {}
        for folder, cell in ROW.findall(page):
            named = tuple(re.findall(r"`([\w/.-]+)`", cell))
            if "all above" in cell:
                named += tuple(may)
            below = [name for name in named if not any(name.startswith(row) for row in may)]
            if below:
                raise ValueError(f"{PAGE}: the row of {folder} names {below[0]}, not above it")
            may[folder] = named
        if not may:
            raise ValueError(f"{PAGE} has no rows of folders")
        return cls(may)

    def folder(self, file: str) -> str:
        """Returns the folder or file whose row applies to a file: the row with the longest matching
        name; "" if none applies."""
        if TABLE.match(file):
            return FORMAT
        rows = [row for row in self.may if file.startswith(row)]
        return max(rows, key=len, default="")

    def forbids(self, include: Include) -> str:
        """Returns the text of the rule that an include breaks; "" if it breaks none. A file about
        which no row says anything breaks a rule, too."""
        of, to = self.folder(include.file), self.folder(include.target)
        if not of or not to:
            return "no row is about it" if not of else f"no row is about {include.target}"
        if of == to or any(include.target.startswith(name) for name in self.may[of]):
            return ""
        if to == FORMAT and FORMAT in self.may[of]:
            return ""
        return f"{of} may include {', '.join(self.may[of]) or 'nothing else'}"


def subject(file: str) -> str:
    """Returns the subject of a file: the folder and the first word of the name, such as
    "runtime/records/store" for store-room.c."""
    folder, _, name = file.rpartition("/")
    return f"{folder}/{re.split('[-.]', name)[0]}"


def circles(found: list[Include]) -> list[list[str]]:
    """Returns the groups of subjects that include each other in a circle, sorted. Tables (.def
    files) are left out: they are rows and include nothing."""
    graph: dict[str, set[str]] = {}
    for include in found:
        if not include.target.endswith(".def") and not include.file.endswith(".def"):
            graph.setdefault(subject(include.file), set()).add(subject(include.target))
    reach = {name: reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in graph if a in reach[a]
    }
    return sorted(list(group) for group in groups if len(group) > 1)


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Returns all subjects that the subject `start` includes, directly or not; `start` itself only
    if it is in a circle. graph: for each subject, the subjects that it includes."""
    seen: set[str] = set()
    waiting = list(graph[start] - {start})
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, set()) - {name}
    return seen


def problems(tree: Path) -> list[str]:
    """Returns a message for each include that breaks a rule, for each circle, and for each known
    violation that no longer exists. Includes in KNOWN are accepted."""
    order = Order.read((tree / PAGE).read_text("utf-8"))
    found = list(includes(tree))
    lines, met = [], set()
    for include in found:
        rule = order.forbids(include)
        known = {
            (of, to)
            for of, to in KNOWN
            if include.file.startswith(of) and include.target.startswith(to)
        }
        met |= known if rule else set()
        if rule and not known:
            lines.append(f"{include}, but {rule}")
    lines += [f"{of} does not include {to} any more: not KNOWN" for of, to in sorted(KNOWN - met)]
    circling = circles(found)
    for circle in circling:
        if not KNOWN_CIRCLES.issuperset(circle):
            lines.append(f"a circle of files: {', '.join(circle)}")
    freed = KNOWN_CIRCLES.difference(*circling) if circling else KNOWN_CIRCLES
    lines += [f"{name} is in no circle any more: not KNOWN" for name in sorted(freed)]
    return lines


def main() -> int:
    """Prints the violations in C and in the Python package. Returns the exit status: 1 if there are
    any, else 0."""
    tree = Path(__file__).resolve().parents[2]
    found = problems(tree) + python_order.problems(tree)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
