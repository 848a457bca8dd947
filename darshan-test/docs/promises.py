"""Prints the names that doc/what-stays.md promises, as this tree and a build have them, one per
line, with the kind in front. promised.txt has the promised names in this form.

    python3 darshan-test/docs/promises.py BUILD"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parents[2]
# The shared libraries whose symbols are promised.
LIBRARIES = ("libdarshan-read.so.0", "libdarshan-util.so.0")


def _read(path: str) -> str:
    """Returns the text of a file. path: relative to the tree."""
    return (TREE / path).read_text("utf-8")


def commands() -> Iterator[str]:
    """Yields a line for each command that has a manual page, and for each option in these pages.
    The tests in test_manual.py compare the pages with --help."""
    for page in sorted((TREE / "doc" / "man").glob("*.1")):
        yield f"command {page.stem}"
    for page in sorted((TREE / "doc" / "man").glob("darshan*.1")):
        text = re.sub(r"\\(f[BIR]|&)", "", page.read_text("utf-8")).replace("\\-", "-")
        for term in re.findall(r"^\.TP\n(-.*)$", text, re.MULTILINE):
            for option in re.findall(r"(?:^|[\s\[,])(--?[A-Za-z][\w-]*)", term):
                yield f"option {page.stem} {option}"


def settings() -> Iterator[str]:
    """Yields a line for each environment variable of the runtime, and for each directive of its
    configuration file."""
    rows = _read("runtime/job/config/settings.def")
    for pair in re.findall(r'^SETTING\(\w+, ("\w+"|NULL),\s*("\w+"|NULL)', rows, re.MULTILINE):
        for kind, name in zip(("variable", "directive"), pair):
            if name != "NULL":
                yield f"{kind} {name.strip(chr(34))}"


def configure() -> Iterator[str]:
    """Yields a line for each option of configure, both those in configure.ac and those that its
    macros make."""
    text = _read("configure.ac") + _read("runtime/configure.m4")
    for kind, name in re.findall(r"AC_ARG_(WITH|ENABLE)\(\[([a-z][\w-]+)\]", text):
        yield f"configure --{kind.lower()}-{name}"
    for name in re.findall(r"^DARSHAN_(?:MODULE|ABSENT)\(\[(\w+)\]", text, re.MULTILINE):
        yield f"configure --enable-{name}-mod"
    for name in re.findall(r"^DARSHAN_(?:FOUND_LATER|LIBRARY)\(\[(\w+)\]", text, re.MULTILINE):
        yield f"configure --with-{name}"


def symbols(build: Path) -> Iterator[str]:
    """Yields "symbol LIBRARY NAME" for each symbol that a library of the build exports, with the
    name without its version."""
    for library in LIBRARIES:
        done = subprocess.run(
            ["nm", "-D", "--defined-only", build / library],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            if line.split()[-2] != "A":  # the name of a symbol version
                yield f"symbol {library} {line.split()[-1].partition('@')[0]}"


def counters() -> Iterator[str]:
    """Yields a line for each counter: its module, its index in the module's record (integers and
    floating-point counters are numbered separately), and its name."""
    module = ""
    places = {"counter": 0, "fcounter": 0}
    for line in _read("doc/counters.md").splitlines():
        if line.startswith("## "):
            module, places = line[3:], dict.fromkeys(places, 0)
        if found := re.match(r'\| <a id="(\w+)"></a>`(\w+)` \|', line):
            kind = "fcounter" if "_F_" in found[2] else "counter"
            yield f"{kind} {module} {places[kind]} {found[2]}"
            places[kind] += 1


def modules() -> Iterator[str]:
    """Yields a line for each module of the runtime: its id and name."""
    for path in sorted((TREE / "runtime" / "modules").glob("*/module.def")):
        if path.parent.name != "template":
            row = r'^(?:ANNEX_)?MODULE\((\d+), \w+, "([^"]+)"'
            for number, name in re.findall(row, path.read_text("utf-8"), re.MULTILINE):
                yield f"module {number} {name}"


def diagnoses() -> Iterator[str]:
    """Yields a line for each diagnosis and each threshold in doc/diagnoses.md, with its name."""
    text = _read("doc/diagnoses.md")
    found = text.partition("## Findings")[2].partition("\n## ")[0]
    for name in re.findall(r"^### ([\w-]+)$", found, re.MULTILINE):
        yield f"diagnosis {name}"
    for name in re.findall(r"^\| `([\w.]+)` \|", text.partition("## Thresholds")[2], re.MULTILINE):
        yield f"threshold {name}"


def _fields(schema: dict[str, Any], part: dict[str, Any], path: str) -> Iterator[str]:
    """Yields the fields of an object of the JSON schema, and of the objects in it, with their
    paths. schema: the whole schema. part: its part about the object. path: the path of the object
    with a dot at the end, or ""."""
    if "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    for name, inner in part.get("properties", {}).items():
        yield f"json {path}{name}"
        yield from _fields(schema, inner, f"{path}{name}.")
    if isinstance(part.get("items"), dict):
        yield from _fields(schema, part["items"], path)


def fields() -> Iterator[str]:
    """Yields a line for each field of the report's JSON, and lines with its format and version."""
    schema = json.loads(_read("doc/report.schema.json"))
    for name in ("format", "version"):
        yield f"json {name} = {schema['properties'][name]['const']}"
    yield from _fields(schema, schema, "")


def _public(body: list[ast.stmt], owner: str) -> Iterator[str]:
    """Yields a line for each public method of a class, for each of its arguments, and for each
    public field. body: the statements of the class; owner: the class's name and a dot, or "" for
    functions."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            yield f"python {owner}{node.name}"
            given = [*node.args.args, *node.args.kwonlyargs]
            yield from (f"python {owner}{node.name} {a.arg}" for a in given if a.arg != "self")
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield f"python {owner}{node.target.id}"


def _bases(found: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """Yields the definitions of the base classes that a class names as MODULE.NAME, for modules of
    the same package."""
    for base in found.bases:
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            tree = ast.parse(_read(f"util/python/darshan_report/{base.value.id}.py"))
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and node.name == base.attr:
                    yield node


def python() -> Iterator[str]:
    """Yields a line for each public name of the Python package, parsed from the source, so that
    nothing needs to be installed."""
    top = ast.parse(_read("util/python/darshan_report/__init__.py"))
    for node in top.body:
        if isinstance(node, ast.ImportFrom):
            module = str(node.module).replace(".", "/")
            body = ast.parse(_read(f"util/python/darshan_report/{module}.py")).body
            for name in (alias.name for alias in node.names):
                yield f"python {name}"
                for found in body:
                    if isinstance(found, ast.ClassDef) and found.name == name:
                        yield from (
                            row
                            for owner in (found, *_bases(found))
                            for row in _public(owner.body, f"{name}.")
                            if f"{name}._" not in row
                        )
                    elif isinstance(found, ast.FunctionDef) and found.name == name:
                        yield from (r for r in _public([found], "") if r != f"python {name}")


def names(build: Path) -> list[str]:
    """Returns all promised names as lines of text, each beginning with its kind: commands,
    settings, symbols, modules, counters, diagnoses, fields of JSON, and names in Python."""
    kinds = (commands(), settings(), configure(), symbols(build), modules(), counters())
    return [row for kind in (*kinds, diagnoses(), fields(), python()) for row in kind]


if __name__ == "__main__":
    print("\n".join(dict.fromkeys(names(Path(sys.argv[1])))))
