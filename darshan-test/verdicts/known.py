"""Known wrong results: each line of known.txt has a name and a result, separated by a tab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).resolve().parent / "known.txt"
# Marks a result that depends on the machine's load: right and wrong are both accepted.
SOMETIMES = "sometimes"
HEAD = (
    "# Name, and what is said today.  Who mends it takes the line out: a test fails until then.\n"
)


def known() -> dict[str, str]:
    """Returns the known results by name of the row."""
    lines = FILE.read_text().splitlines()
    rows = (line.split("\t") for line in lines if line and line[0] != "#")
    return {name: said for name, said in rows}


def write(judged: Mapping[str, str]) -> None:
    """Replaces the known results of these rows, except those that depend on the machine's load.
    Each is an error by the row's name; an empty string means right."""
    rows = known() if FILE.exists() else {}
    for name, wrong in judged.items():
        if rows.get(name, "").startswith(SOMETIMES):
            continue
        rows.pop(name, None)
        if wrong:
            rows[name] = wrong
    FILE.write_text(HEAD + "".join(f"{name}\t{said}\n" for name, said in sorted(rows.items())))
