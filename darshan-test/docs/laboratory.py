"""Finds Python tests that do themselves what the modules in darshan-test/lab do for them.

Only lab/environment.py may preload a library, and only lab/log.py may split the rows of
darshan-parser. ./dev lint runs this file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
# Folders whose files are not tests of this tree: the laboratory itself, and benchmarks, which
# measure one setting at a time.
OTHERS = ("lab/", "bench/")
# Files and folders that compare or hand over an LD_PRELOAD of another program than one under test,
# with the reason.
PRELOADS = {
    "docs/laboratory.py": "this rule",
    "docs/test_laboratory.py": "examples of what this rule finds",
    "link/test_modulefile.py": "environments before and after a module is loaded",
    "spack/test_recipe.py": "environments before and after a package is loaded",
}
# Files and folders that split other text with tabs, with a name of this text.
TABS = {
    "calls/run_case.py": "expectations that a case writes",
    "daos/model.py": "calls that the program writes down",
    "harm/test_outputs.py": "the columns of darshan-parser itself, with hostile names",
    "hdf5/model.py": "calls that the program writes down",
    "hdf5/test_python.py": "expectations that a script prints",
    "language/": "lists that git and the drawing of declarations print",
    "logs/": "the bytes of rows, compared with a second implementation of the format",
    "studies/edit-atomicity/killing.py": "calls that interrupt.c prints",
    "toolbox/": "rows of the second implementation, and lines of darshan-diff",
    "verdicts/": "the tables of the corpus",
}
PRELOAD = "LD_PRELOAD"
# For each kind of violation, the beginnings of the names of files that may have it.
EXCUSES = {"preload": PRELOADS, "tab": TABS}
# The path of this file, for messages.
FILE = "darshan-test/docs/laboratory.py"
# Methods of strings and bytes whose first argument is a separator.
SPLITS = ("split", "rsplit", "partition", "rpartition", "count")
# Functions of the module `re` whose first argument is a pattern.
PATTERNS = ("search", "match", "fullmatch", "findall", "finditer", "compile", "sub")


def text_of(node: ast.AST) -> str:
    """Returns the constant text of a string, bytes or f-string, without an f-string's inserted
    values; of any other expression the text of its constant, or ""."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    value = node.value if isinstance(node, ast.Constant) else ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def preloads(node: ast.AST) -> bool:
    """Returns whether an expression names LD_PRELOAD: as a keyword argument, as a whole string, or
    with "=" in a string."""
    if isinstance(node, ast.keyword):
        return node.arg == PRELOAD
    if not isinstance(node, (ast.JoinedStr, ast.Constant)):
        return False
    return text_of(node) == PRELOAD or f"{PRELOAD}=" in text_of(node)


def splits(node: ast.AST) -> bool:
    """Returns whether an expression splits text at tabs, or searches text with a regular expression
    that has a tab."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return False
    if node.func.attr in SPLITS:
        return text_of(node.args[0]) == "\t"
    of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    text = text_of(node.args[0])
    return of_re and node.func.attr in PATTERNS and ("\\t" in text or "\t" in text)


def faults(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line number and the kind ("preload" or "tab") of each expression in a file that
    `preloads` or `splits` finds. source: the file's text."""
    for node in ast.walk(ast.parse(source)):
        if preloads(node):
            yield node.lineno, "preload"
        if splits(node):
            yield node.lineno, "tab"


# The message for each kind of violation.
SAID = {
    "preload": "names LD_PRELOAD: use lab.environment",
    "tab": "splits text with tabs: lab.log reads rows of logs",
}


def strays(tests: Path = TESTS) -> list[str]:
    """Returns a message for each expression in the tests that `faults` finds and EXCUSES does not
    excuse, and for each excuse that is no longer needed. tests: folder of all tests."""
    found, needed = [], set()
    for path in sorted(tests.rglob("*.py")):
        name = path.relative_to(tests).as_posix()
        if name.startswith(OTHERS):
            continue
        for line, kind in sorted(set(faults(path.read_text()))):
            excuses = [e for e in EXCUSES[kind] if name.startswith(e)]
            needed.update((kind, excuse) for excuse in excuses)
            if not excuses:
                found.append(f"darshan-test/{name}:{line}: {SAID[kind]}")
    every = [(kind, excuse) for kind, excuses in EXCUSES.items() for excuse in excuses]
    return found + [f"{FILE}: no file needs {e!r}" for kind, e in every if (kind, e) not in needed]


if __name__ == "__main__":
    lines = strays()
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(bool(lines))
