"""A sample of the corpus, seeded by the commit, has the results of known.txt; `./dev verdicts`
judges all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import real
import trials
from corpus import ROWS, Row
from judge import HERE, Judge, Verdict, needed
from kept import kept
from known import SOMETIMES, known
from page import GROUPS
from place import needs
from sample import TOLD, turning
from table import summary

SHARE = 0.05  # 15 s at most on one core
TRIES = 3  # a busy machine is not an error of a rule: a wrong result is checked again


@pytest.fixture(scope="module")
def judge(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Builds the programs that the sample needs."""
    return Judge(build, tmp_path_factory.mktemp("verdicts"))


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    """Returns the verdicts by name of the row; each test adds its own."""
    return {}


@pytest.mark.parametrize("row", turning(ROWS, SHARE, "verdicts"), ids=lambda row: row.name)
def test_verdict(row: Row, judge: Judge, verdicts: dict[str, Verdict]) -> None:
    """The report on a program of the corpus has the expected findings, unless known.txt lists the
    program as wrong."""
    needs(*needed(row))
    listed = known().get(row.name, "")
    for _ in range(TRIES):
        verdict = verdicts[row.name] = judge.verdict(row)
        if listed.startswith(SOMETIMES):
            return
        if verdict.good != bool(listed):
            break
    if listed:
        assert not verdict.good, f"{row.name} is right now: take it out of known.txt"
    else:
        assert verdict.good, f"{verdict.outcome}: {verdict.said or 'nothing is said'}"


def test_table(
    verdicts: dict[str, Verdict], record_property: Callable[[str, object], None]
) -> None:
    """The share of right results in this sample is printed at the end of the run."""
    assert verdicts, "none of the sample could be judged"
    for line in summary(list(verdicts.values())):
        record_property(TOLD, f"verdicts: {line}")


def test_corpus_is_in_order() -> None:
    """The rows of the corpus have different names, existing programs, and a remedy if they have a
    finding; known.txt and kept.txt name only such rows."""
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert set(known()) <= {*names, *map(real.name_of, real.expected().values())}
    assert {row.program.partition(".")[0] for row in ROWS} <= set(GROUPS)
    assert set(kept()) <= set(names)
    for row in ROWS:
        assert bool(row.finding) == bool(row.remedy), row.name
        assert (HERE / "programs" / row.program).exists()


def test_the_guide_has_what_trials_found() -> None:
    """The guide's table equals the table that is made from trials.txt and gains.txt (./dev verdicts
    --try --keep)."""
    assert trials.section() in trials.GUIDE.read_text()
    names = {row.name for row in ROWS}
    assert {name.removesuffix(trials.CURED) for name in trials.trials()} <= names


@pytest.mark.parametrize("row", real.logs(), ids=lambda found: found[0].log[:40])
def test_log(row: tuple[real.Expected, Path], build: Path) -> None:
    """The report on a real log has the expected findings, unless known.txt lists the log as
    wrong."""
    expected, path = row
    listed = known().get(real.name_of(expected), "")
    wrong = real.wrong(build, expected, path)
    if listed:
        assert wrong, f"{expected.log} is right now: take it out of known.txt"
    else:
        assert not wrong, f"{wrong}; {expected.why}"
