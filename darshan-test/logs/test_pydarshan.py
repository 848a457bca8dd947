"""PyDarshan 3.5.0 reads the same values as darshan-parser from every log that it can open."""

from __future__ import annotations

from pathlib import Path

import pytest
from tree import real_log_paths

from .catalogue import Case, good_cases
from .encode import encode
from .pydarshan import compare_with_pydarshan

# Cases that PyDarshan can open.
READABLE = [case for case in good_cases() if not case.pydarshan]
# Logs without a record, or without one that PyDarshan lists by module.
WITHOUT_VALUES = (
    *("good-empty", "good-empty-3.00", "good-heatmap-foreign"),
    *("good-tree-little", "good-tree-big"),
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in READABLE])
def test_generated_log(case: Case, tmp_path: Path, parser: Path) -> None:
    """PyDarshan and the parser return the same values for a generated log."""
    log = tmp_path / "good.darshan"
    log.write_bytes(encode(case.log))
    compared = compare_with_pydarshan(parser, log)
    assert (compared == 0) == (case.name in WITHOUT_VALUES)


@pytest.mark.parametrize("log", [pytest.param(path, id=path.stem) for path in real_log_paths()])
def test_real_log(log: Path, parser: Path) -> None:
    """PyDarshan and the parser return the same values for a log of a real program."""
    compared = compare_with_pydarshan(parser, log)
    assert (compared == 0) == log.name.startswith("empty_log")
