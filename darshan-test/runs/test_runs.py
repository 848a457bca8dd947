"""Runs of many processes: each ends as it does alone, and its log has what strace saw."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs.pydarshan import compare_with_pydarshan
from place import absent, needs

from .compare import differences, without_inheritance
from .harness import INHERITED, ONE_LOG, Runner, compile_programs, lasting, missing_module, said
from .row import Row
from .rows import cases


@pytest.fixture(scope="module")
def runner(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The programs of this folder, and where rows run."""
    programs = tmp_path_factory.mktemp("programs")
    compile_programs(programs)
    base = tmp_path_factory.mktemp("runs")
    for folder in (programs, base):
        folder.chmod(0o755)  # some rows are run by an ordinary user
    return Runner(build, programs, base)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("row", "mode"), [pytest.param(row, mode, id=f"{row.name}-{mode}") for row, mode in cases()]
)
def test_run(row: Row, mode: str, runner: Runner, parser: Path) -> None:
    needs("ptrace", *row.needs)
    if lacking := missing_module(row):
        absent(f"{lacking} is not installed")
    bare = runner.bare(row).outcome
    assert bare.status == row.status, bare.stderr.decode(errors="replace")
    box, outcome, counts = runner.recorded(row, mode)
    assert said(row, outcome) == said(row, bare)
    assert lasting(row, outcome) == lasting(row, bare)

    recorded = box.recorded()
    assert recorded.paths
    assert recorded.others == []
    if ONE_LOG:
        assert row.outlives or len(recorded.paths) == row.logs
        assert recorded.journals == []
        for path in recorded.paths:
            compare_with_pydarshan(parser, path)
    assert any(name.startswith(str(box.work)) for name in counts), "strace saw no file of its own"
    compare = differences if INHERITED else without_inheritance
    found = compare(row, counts, recorded.log, str(box.work))
    assert not found, "\n".join(found).replace(f"{box.base}/", "")
