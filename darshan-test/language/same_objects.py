"""Proves that a change of comments changes nothing else: `./dev same-objects [BASE]`.

Compares the working tree with BASE (main; where the branch left it), file by file:

* C, tables and assembly: the tokens that the compiler sees, so that objects are identical
  in every configuration, apart from line numbers (debug lines, __LINE__, assert).
* Python: the syntax tree without docstrings.  A file that uses __doc__ keeps its docstrings.
* Shell: the commands, as bash prints them.
* Documentation (Markdown, manual pages) may change freely.
* All other files: the lines that are neither blank nor a comment as a whole.  A comment behind
  code counts as code there, except in JavaScript.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

from source_text import Documented, c_code, kind

# Endings of files that may change freely.
DOCUMENTATION = ("md", "1", "7")
# The beginning of a comment line, by the ending of the file; in all others it is #.
LINE = {
    **dict.fromkeys(("js", "java", "rs"), r"//"),
    **dict.fromkeys(("f90", "F90"), r"!(?!\$)"),
    **dict.fromkeys(("ac", "m4"), r"#|dnl\b"),
    **dict.fromkeys(("css", "map"), r"(?!)"),
    "lua": r"--",
}
BLOCKS = ("js", "java", "rs", "css", "map")  # have comments of /* */ as well
# A comment behind code of JavaScript. It has no quote, so it is not a part of a string that ends
# there.
BEHIND = re.compile(r"(?<=[;,{})]) // [^'\"`]*$", re.MULTILINE)
# A comment of /* */ that fills whole lines.
BLOCK = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*$", re.DOTALL | re.MULTILINE)


def c_form(text: str) -> list[str]:
    """Returns the tokens of a C file without comments."""
    return [token.text for token in c_code(text)]


def python_form(text: str) -> list[str]:
    """Returns the syntax tree of a Python file, as one text for each top-level statement, without
    positions. Docstrings are left out, too, unless the file uses `__doc__`."""
    tree = ast.parse(text)
    if "__doc__" not in text:
        for node in ast.walk(tree):
            if isinstance(node, Documented) and ast.get_docstring(node) is not None:
                node.body[0] = ast.Pass()  # a body may hold nothing else
    return [ast.dump(statement) for statement in tree.body]


def shell_form(text: str) -> list[str]:
    """Returns the commands of a script as bash prints them, without comments; nothing of the script
    is run. Returns the lines without comments if bash cannot parse the script."""
    parsed = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    if parsed.returncode:
        return line_form(text)
    wrapped = f"printed() {{\n{text}\n:\n}}\ndeclare -f printed\n"
    answer = subprocess.run(["bash"], input=wrapped, text=True, capture_output=True, check=True)
    return answer.stdout.split("\n")


def line_form(text: str, what: str = "") -> list[str]:
    """Returns all lines except blank ones and comments. A comment that ends in a backslash is kept.
    what: the language, which decides how comments begin ("#" by default)."""
    comment = re.compile(rf"\s*(?:{LINE.get(what, '#')})")
    bare = BLOCK.sub("", text) if what in BLOCKS else text
    bare = BEHIND.sub("", bare) if what == "js" else bare
    lines = [line.rstrip() for line in bare.split("\n")]
    return [line for line in lines if line and (not comment.match(line) or line[-1] == "\\")]


def form(name: str, text: str) -> list[str]:
    """Returns the lines that must be equal in two versions of a file: the interpreter line first,
    then the code without comments; [] for documentation."""
    what = kind(name, text)
    if what in DOCUMENTATION:
        return []
    forms = {"c": c_form, "python": python_form, "shell": shell_form}
    first = [text.split("\n", 1)[0]] if text.startswith("#!") else []
    return first + (forms[what](text) if what in forms else line_form(text, what))


def difference(name: str, old: str, new: str) -> str:
    """Returns the first difference between the code of two versions of a file, as a message; "" if
    only comments differ. old, new: the texts."""
    before, after = form(name, old), form(name, new)
    if before == after:
        return ""
    pairs = zip([*before, "(end)"], [*after, "(end)"])
    a, b = next((a, b) for a, b in pairs if a != b)
    start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    start = max(0, start - 30)
    return f"{a[start : start + 70]!r} became {b[start : start + 70]!r}"


def git(tree: Path, *words: str) -> bytes:
    """Returns the output of a git command in a tree. Raises CalledProcessError if the command
    fails."""
    return subprocess.run(["git", "-C", str(tree), *words], capture_output=True, check=True).stdout


def problems(tree: Path, base: str) -> tuple[int, list[str]]:
    """Returns how many files differ from the commit at which the branch left `base`, and a message
    for each file whose code, mode or existence changed."""
    start = git(tree, "merge-base", base, "HEAD").decode().strip()
    raw = git(tree, "diff", "--raw", "--no-renames", "-z", start).decode().split("\0")
    lines = []
    for facts, name in zip(raw[::2], raw[1::2]):
        old_mode, new_mode, _, _, letter = facts.lstrip(":").split()
        if kind(name, "") in DOCUMENTATION:
            continue
        if letter in "AD" or old_mode != new_mode:
            lines.append(f"{name}: is new, gone or has another mode ({old_mode}, {new_mode})")
            continue
        old = git(tree, "show", f"{start}:{name}").decode("utf-8", "surrogateescape")
        found = difference(name, old, (tree / name).read_text("utf-8", "surrogateescape"))
        lines += [f"{name}: {found}"] if found else []
    others = git(tree, "ls-files", "--others", "--exclude-standard", "-z").decode().split("\0")
    lines += [f"{name}: is new, and git does not know it" for name in others if name]
    return len(raw) // 2, lines


def main() -> int:
    """Prints a message for each file whose code changed. Returns the exit status: 1 if there is
    one, or if git fails, otherwise 0."""
    parser = argparse.ArgumentParser(prog="dev same-objects", description="See the file's head.")
    parser.add_argument("base", nargs="?", default="main", help="a commit or branch (main)")
    tree = Path(__file__).resolve().parents[2]
    try:
        changed, lines = problems(tree, parser.parse_args().base)
    except subprocess.CalledProcessError as error:
        print(f"dev same-objects: {error.stderr.decode().strip()}", file=sys.stderr)
        return 2
    for line in lines:
        print(line)
    print(f"same-objects: {changed} files changed, {len(lines)} in more than comments")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
