"""The rules' data about a log is freed with the log."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.run import diagnose_facts
from darshan_report.measure.processes.processes import processes
from sample import turning
from tree import real_log_paths


@pytest.fixture(autouse=True)
def no_cycles_are_looked_for() -> Iterator[None]:
    """Turns Python's garbage collector off during each test, because it could free reference cycles
    in time by chance."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "path", turning(real_log_paths(), 0.2, "memory of rules"), ids=lambda path: path.name
)
def test_nothing_keeps_a_log(path: Path) -> None:
    """After the findings of a log are computed and released, no reference keeps its data alive; a
    process may read thousands of logs."""
    with open_log(path) as log:
        facts = Facts(log, None, processes(log))
        diagnose_facts(facts)
    gone = weakref.ref(facts)
    del facts, log
    assert gone() is None
