"""Checks the layers of the Python package against the table of doc/architecture.md. A file imports
files of its own layer and of the layers above it in the table. Imports inside of functions and for
type checkers count, too. Files must not import each other in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGE = "doc/architecture.md"
# The folder of the package, relative to the tree.
PACKAGE = "util/python/darshan_report"
# A row of the page's table; the group has the names of a layer's files and folders.
ROW = re.compile(r"^\| P\d+ \| ((?:`[\w./]+`(?:, )?)+) \|", re.MULTILINE)
# A module that `make install` writes; it imports nothing.
GENERATED = "_installed"


@dataclass(frozen=True)
class Import:
    """One import of a file of the package by another: the importing file and the imported one, both
    relative to the package, and the line number."""

    file: str
    line: int
    target: str


def imports(package: Path) -> Iterator[Import]:
    """Yields all imports of the package's files by each other, also those inside of functions."""
    files = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    for name in sorted(files):
        for node in ast.walk(ast.parse((package / name).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                for target in sorted(_targets(name, node, files)):
                    if target != name:
                        yield Import(name, node.lineno, target)


def _targets(name: str, node: ast.ImportFrom, files: set[str]) -> set[str]:
    """Returns the package's files that an import statement imports, of which each may be a module
    or an imported name. name: the importing file. node: the statement. files: all files."""
    module = (node.module or "").split(".") if node.module else []
    if node.level:
        folders = name.split("/")[: -node.level] if node.level else []
    elif module[:1] == ["darshan_report"]:
        folders, module = [], module[1:]
    else:
        return set()
    found = set()
    for alias in node.names:
        path = [*folders, *module, alias.name]
        if alias.name != GENERATED and GENERATED not in module:
            options = ("/".join(path), "/".join(path[:-1]))
            rows = [f"{option}.py" for option in options if f"{option}.py" in files]
            starts = ["/".join([*(o.split("/") if o else []), "__init__.py"]) for o in options]
            found.add((rows + [start for start in starts if start in files])[0])
    return found


def layers(page: str) -> dict[str, int]:
    """Returns the layer number, from 0 at the top, of each folder and file that the table of
    doc/architecture.md names. Raises ValueError if the page has no such table."""
    found: dict[str, int] = {}
    for number, cell in enumerate(ROW.findall(page)):
        found |= dict.fromkeys(re.findall(r"`([\w./]+)`", cell), number)
    if not found:
        raise ValueError(f"{PAGE} has no table of the layers of the Python package")
    return found


def layer(file: str, table: dict[str, int]) -> int | None:
    """Returns the layer number of a file, which is that of the longest matching name in the table;
    None if no name matches."""
    fits = [name for name in table if file == name or (name[-1] == "/" and file.startswith(name))]
    return table[max(fits, key=len)] if fits else None


def circles(found: list[Import]) -> list[list[str]]:
    """Returns the groups of files that import each other in a circle, sorted."""
    graph: dict[str, set[str]] = {}
    for one in found:
        graph.setdefault(one.file, set()).add(one.target)
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in graph if a in reach[a]
    }
    return sorted(map(list, groups))


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Returns all files that a file imports, directly or not. The file itself is among them only if
    it is in a circle."""
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


def problems(tree: Path) -> list[str]:
    """Returns a message for each import of a later layer, each circle, each file without a layer,
    and each name in the table that does not exist."""
    table = layers((tree / PAGE).read_text("utf-8"))
    package = tree / PACKAGE
    lines = []
    for path in sorted(package.rglob("*.py")):
        if layer(path.relative_to(package).as_posix(), table) is None:
            lines.append(f"{path.relative_to(tree)} is in no layer of {PAGE}")
    found = list(imports(package))
    for one in found:
        of, to = layer(one.file, table), layer(one.target, table)
        if of is not None and to is not None and to > of:
            lines.append(
                f"{PACKAGE}/{one.file}:{one.line}: imports {one.target} of a later layer ({PAGE})"
            )
    lines += [f"files of {PACKAGE} import each other: {', '.join(c)}" for c in circles(found)]
    for name in table:
        if not (package / name).exists():
            lines.append(f"{PAGE}: the table of layers names {name}, which does not exist")
    return lines
