"""The report skips rules that a log cannot trigger. A skipped rule would have found nothing, and
most logs are passed to few rules."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from centre.made import make
from darshan_report.diagnose import run
from darshan_report.diagnose.finding import Finding
from darshan_report.diagnose.limits import Limits
from darshan_report.library import LogError
from darshan_report.log import open_log

from .build import write
from .cases import CASES

# Calls of functions, of Python and of C, that a diagnosis of a log of the corpus makes at most: the
# measured number and a fifth more. No other cost of a diagnosis is independent of the load of the
# machine.
MOST_CALLS = 7200
LOGS = 60


def found(path: Path, limits: Limits) -> list[Finding]:
    """Returns the findings on a log."""
    with open_log(path) as log:
        return list(run.diagnose(log, limits))


def limits() -> Iterator[Limits]:
    """Yields thresholds above and below the potential savings of the logs."""
    for share, seconds in itertools.product((0.5, 0.05, 0.0005), (5, 0.05, 0.0005)):
        yield Limits({"stake.share": share, "stake.seconds": seconds})


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Returns the logs of a small corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    done = make(folder, "--logs", str(LOGS), "--seed", "3")
    assert not done.returncode, done.stderr
    logs = sorted(folder.rglob("*.darshan"))
    assert len(logs) >= LOGS
    return logs


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Makes every log reach every rule, until the test calls undo() on the returned patch."""

    def always(*_: Any) -> bool:
        return True

    monkeypatch.setattr(run, "reaches", always)
    return monkeypatch


def test_what_is_not_reached_finds_nothing(everything: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A rule that is not run, because the log lacks its modules or is below its limits, would find
    nothing."""
    logs = []
    for name, *jobs in CASES:
        for number, job in enumerate(jobs):
            logs.append(tmp_path / f"{name}-{number}.darshan")
            write(job, logs[-1])
    pairs = list(zip(logs, itertools.cycle(limits())))
    want = [found(path, some) for path, some in pairs]
    everything.undo()
    for (path, some), findings in zip(pairs, want):
        assert found(path, some) == findings, path.name


def test_calls_of_a_log(corpus: list[Path]) -> None:
    """The diagnosis of a log makes on average at most MOST_CALLS Python calls, and not far
    fewer."""
    calls = 0

    def count(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    damaged = 0
    for again in range(2):  # what is computed once for all logs does not count
        for path in corpus:
            sys.setprofile(count if again else None)
            try:
                found(path, Limits())
            except LogError:
                damaged += 1
            finally:
                sys.setprofile(None)
    assert damaged < LOGS / 2
    assert LOGS * MOST_CALLS / 4 < calls < LOGS * MOST_CALLS, calls / LOGS
