"""Every row of doc/compatibility.md says whether Darshan 3.5 and this version agree, and the tests
that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "doc" / "compatibility.md").read_text("utf-8")
# The cells of each row of the page's tables: feature and answer.
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| feature |")
]


def test_every_row_has_an_answer() -> None:
    """Each answer is a test, "yes" with a source, "differs" with the difference, or "no" with a
    reason."""
    assert len(ROWS) > 50
    for feature, answer in ROWS:
        tested = answer.startswith("yes, tested: `")
        assert tested or re.match(r"(yes; .*`|differs: .|no: .)", answer), feature


def test_the_tests_are_there() -> None:
    """Each test that the page names as FILE::FUNCTION is a function of this file."""
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) > 60
    lost = [
        f"{path}::{name}"
        for path, name in named
        if not re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)
    ]
    assert not lost
