"""The table of queries in doc/centre.md: each row is a command that works, and no query is missing.
Each query occurs in a test that compares its result with an independent reader."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from darshan_report.lake.ask.ready.questions import BY_NAME, CHANGES
from sample import turning
from tree import SOURCE

from .conftest import Run
from .rows import make_logs
from .test_sums import fill

# Tests that compare with PyDarshan, with sums over the rows that pyarrow reads, or with what the
# programs did.
_TESTS = (
    "lake/test_staff.py", "lake/test_staff_story.py", "lake/test_ask.py", "lake/test_lines.py",
    "lake/test_trainings.py", "lake/test_trials.py", "lake/test_changes.py",
    "centre/test_stories.py",
)  # fmt: skip


def commands() -> list[list[str]]:
    """Returns the words of each command in the guide's table, after `darshan ask LAKE`."""
    guide = (SOURCE / "doc" / "centre.md").read_text("utf-8")
    table = guide.partition("Each question is one command:")[2].partition("\n\n### ")[0]
    return [shlex.split(found) for found in re.findall(r"^\| .*\? \| `(.*)` \|$", table, re.M)]


def test_the_table_has_every_question() -> None:
    """The guide's table has exactly the ready queries."""
    assert sorted(one[0] for one in commands()) == sorted([*BY_NAME, CHANGES])


def test_each_has_a_test_with_another_reader() -> None:
    """The results of each ready query are compared with those of another reader in some test."""
    tests = "".join((SOURCE / "darshan-test" / name).read_text("utf-8") for name in _TESTS)
    assert not [name for name in BY_NAME if f'"{name}"' not in tests]


def test_each_command_works(darshan: Run, tmp_path: Path) -> None:
    """A sample of the commands of the table is run on a lake and exits with 0."""
    fill(tmp_path / "lake", make_logs(tmp_path / "logs", 5))
    for one in turning(commands(), 0.12, "staff table"):
        done = darshan("ask", "lake", *one)
        assert done.returncode == 0, (one, done.stderr)
