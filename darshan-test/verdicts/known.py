"""What is known to be judged wrongly: known.txt, a name and what is said, apart by a tab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).resolve().parent / "known.txt"
# Of what depends on how busy the machine is: neither verdict is an error.
SOMETIMES = "sometimes"
HEAD = (
    "# Name, and what is said today.  Who mends it takes the line out: a test fails until then.\n"
)


def known() -> dict[str, str]:
    """By name of the row: what was said when it was written down."""
    lines = FILE.read_text().splitlines()
    rows = (line.split("\t") for line in lines if line and line[0] != "#")
    return {name: said for name, said in rows}


def write(judged: Mapping[str, str]) -> None:
    """Replaces what is known of these rows: by name, what is wrong; nothing: it is right."""
    rows = known() if FILE.exists() else {}
    for name, wrong in judged.items():
        if rows.get(name, "").startswith(SOMETIMES):
            continue
        rows.pop(name, None)
        if wrong:
            rows[name] = wrong
    FILE.write_text(HEAD + "".join(f"{name}\t{said}\n" for name, said in sorted(rows.items())))
