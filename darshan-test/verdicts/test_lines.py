"""The finding of a marked case names the marked line; `./dev verdicts --sites` judges all."""

from __future__ import annotations

from pathlib import Path

import marks
import pytest
from corpus import ROWS, Row
from judge import Judge, needed
from place import needs
from sample import turning

SHARE = 0.07
TRIES = 3  # on a busy machine a finding may be missing, or rest on other calls
MARKED = [row for row in ROWS if marks.marked(row)]


@pytest.fixture(scope="module")
def judge(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Builds the programs that the sample needs."""
    return Judge(build, tmp_path_factory.mktemp("lines"))


@pytest.mark.parametrize("row", turning(MARKED, SHARE, "lines"), ids=lambda row: row.name)
def test_line(row: Row, judge: Judge) -> None:
    """The report names a marked line; for cases in marks.MISSED it is known to name another line,
    and still does."""
    needs(*needed(row))
    said = ""
    for _ in range(TRIES):
        said = judge.line(row)
        if (said == marks.RIGHT) != (row.name in marks.MISSED):
            return
    assert said == marks.RIGHT, said
    pytest.fail(f"{row.name} is right now: take it out of marks.MISSED")


def test_marks() -> None:
    """Every mark belongs to a case with a problem, and every case in marks.MISSED has a mark."""
    problems = {(row.program, row.case) for row in ROWS if row.finding}
    for path in sorted(marks.PROGRAMS.iterdir()):
        for case in marks.cases_of(path.name) if path.is_file() else ():
            assert (path.name, case) in problems, (path.name, case)
    assert len(MARKED) >= 30
    assert set(marks.MISSED) <= {row.name for row in MARKED}
