"""What is known to be judged wrongly: known.txt, a name and what is said, apart by a tab."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from judge import Verdict

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


def write(verdicts: Iterable[Verdict]) -> None:
    """Replaces what is known of these rows."""
    rows = known() if FILE.exists() else {}
    for verdict in verdicts:
        if rows.get(verdict.row.name, "").startswith(SOMETIMES):
            continue
        rows.pop(verdict.row.name, None)
        if not verdict.good:
            rows[verdict.row.name] = f"{verdict.outcome}: {verdict.said}".removesuffix(": ")
    FILE.write_text(HEAD + "".join(f"{name}\t{said}\n" for name, said in sorted(rows.items())))
