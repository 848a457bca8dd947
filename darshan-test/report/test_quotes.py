"""The PDF's fonts have all characters of the report's own sentences."""

from __future__ import annotations

import ast
from pathlib import Path

import darshan_report
from darshan_report.show.text import printable

_WRITES = ("diagnose", "measure", "summary")  # their texts are printed in a PDF


def _texts() -> set[str]:
    """Returns all characters of the string constants in the package's folders whose texts a PDF may
    contain."""
    package = Path(darshan_report.__file__).parent
    found: set[str] = set()
    for folder in _WRITES:
        for path in (package / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.update(node.value)
    return {c for c in found if c.isprintable()}


def test_every_letter_of_ours() -> None:
    """Every character of the package's own texts can be printed in a PDF, also quotation marks,
    which LaTeX's fonts lack in some encodings."""
    letters = _texts()
    assert "\u201c" in letters
    assert [c for c in sorted(letters) if printable(c) != c] == []
