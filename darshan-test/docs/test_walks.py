"""The walks of doc/architecture.md (lists of the files that a call passes through) are short, and
each file leads to the next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
PAGE = (TREE / "doc/architecture.md").read_text("utf-8")
# A row of a walk's table: number, file and function.
STEP = re.compile(r"^\| (\d+) \| `([^`]+)` \| `(\w+)` \|", re.MULTILINE)
# Functions that no file of the walk calls, because the program, the C library or another library
# calls them.
ROOTS = {"pwrite", "H5Dread", "posix_unlock_transfer", "runtime_finish", "Documents"}


@dataclass(frozen=True)
class Step:
    """One step of a documented walk: its number, a file, and the function of this file that the
    call enters first."""

    number: int
    file: str
    name: str

    @property
    def text(self) -> str:
        """The text of the file."""
        return (TREE / self.file).read_text("utf-8")

    def says(self, name: str) -> bool:
        """Returns whether the file contains this word."""
        return re.search(rf"\b{name}\b", self.text) is not None


def walk(call: str) -> list[Step]:
    """Returns the steps of the walk of one call, such as "pwrite", in doc/architecture.md."""
    (part,) = re.findall(rf"^### One {call}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    return [Step(int(number), file, name) for number, file, name in STEP.findall(part)]


@pytest.mark.parametrize("call", ["pwrite", "H5Dread"])
def test_each_file_leads_to_the_next(call: str) -> None:
    """In a walk, the function of each step is in the step's file, and its name occurs in a file of
    an earlier step, unless it is a root."""
    steps = walk(call)
    for place, step in enumerate(steps):
        assert step.says(step.name), step
        before = steps[:place]
        assert step.name in ROOTS or any(one.says(step.name) for one in before), step


@pytest.mark.parametrize("call", ["pwrite", "H5Dread"])
def test_walks_are_short(call: str) -> None:
    """The number of files in a walk equals the one in the table of doc/architecture.md, and does
    not exceed the table's goal."""
    steps = walk(call)
    row = re.search(rf"^\| one `{call}` \| \d+ \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    assert row
    said, goal = map(int, row.groups())
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert len({step.file for step in steps}) == len(steps) == said <= goal
