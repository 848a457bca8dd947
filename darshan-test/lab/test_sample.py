"""A run of all tests takes a sample of the tests in long files (sample.py): what it leaves out, and
that each test is in some sample."""

from __future__ import annotations

import pytest
import sample
from tree import SOURCE

TESTS = SOURCE / "darshan-test"


def left(monkeypatch: pytest.MonkeyPatch, word: str, files: list[str]) -> set[int]:
    """Returns the indexes of the tests that a run with DARSHAN_SAMPLE=`word` leaves out. files: the
    file of each test. The third test has the mark "always", so it is never left out."""
    monkeypatch.setenv("DARSHAN_SAMPLE", word)
    return sample.left_out(files, always={2})


def test_every_long_file_is_there() -> None:
    """Each file in the list of long test files exists; a file that was renamed would always run
    with all its tests."""
    assert [name for name in sample.LONG if not (TESTS / name).is_file()] == []
    assert list(sample.LONG) == sorted(set(sample.LONG))


def test_each_test_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run has about a fifth of the tests of long files, and runs with other seeds have other
    tests. Tests of other files, and tests that are marked always, are in every run."""
    files = [f"{TESTS}/{name}" for name in sample.LONG[:2] for _ in range(8)] + ["/a/test_short.py"]
    runs = [left(monkeypatch, str(number), files) for number in range(100)]
    every = set(range(len(files)))
    assert set().union(*(every - run for run in runs)) == every
    assert set().intersection(*runs) == set().union(*runs) & {2, 16} == set()
    assert 0.1 < sum(16 - len(run) for run in runs) / 1600 < 0.3
    assert left(monkeypatch, sample.ALL, files) == set()


def test_files_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run skips the import of a file exactly if it leaves out all tests of the file."""
    monkeypatch.setenv("DARSHAN_SAMPLE", "a")
    passed = {name for name in sample.LONG if sample.without_tests(TESTS / name)}
    assert len(passed) > len(sample.LONG) / 2
    for name in sample.LONG:
        marked = "pytest.mark.always" in (TESTS / name).read_text("utf-8")
        out = sample.left_out([f"{TESTS}/{name}"])
        assert (name in passed) == (out == {0} and not marked), name
    assert not sample.without_tests(TESTS / "lab" / "test_sample.py")
