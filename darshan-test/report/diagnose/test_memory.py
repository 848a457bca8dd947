"""What the rules have of a log goes with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.run import diagnose_facts
from darshan_report.log import open_log
from darshan_report.measure.processes import processes
from sample import turning
from tree import real_log_paths


@pytest.fixture(autouse=True)
def no_cycles_are_looked_for() -> Iterator[None]:
    """Else they could be found in time, by chance."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "path", turning(real_log_paths(), 0.2, "memory of rules"), ids=lambda path: path.name
)
def test_nothing_keeps_a_log(path: Path) -> None:
    """A thousand of them are looked at by one process."""
    with open_log(path) as log:
        facts = Facts(log, None, processes(log))
        diagnose_facts(facts)
    gone = weakref.ref(facts)
    del facts, log
    assert gone() is None
