"""In runs of many processes (rows.py), output and exit status are those without the runtime, and
the log agrees with strace."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.sandbox import Recorded
from lab.log import read_logs
from logs.pydarshan import compare_with_pydarshan
from place import absent, needs

from .compare import differences
from .harness import (
    RunBox,
    Runner,
    compile_programs,
    lasting,
    missing_module,
    said,
)
from .row import Row
from .rows import cases


@pytest.fixture(scope="module")
def runner(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """Compiles the programs of this folder, and yields the object that runs rows."""
    programs = tmp_path_factory.mktemp("programs")
    compile_programs(programs)
    base = tmp_path_factory.mktemp("runs")
    # Every start of pytest makes its own folder inaccessible to other users.
    with tempfile.TemporaryDirectory(prefix="darshan-runs-") as public:
        Path(public).chmod(0o755)
        yield Runner(build, programs, base, Path(public))


def one_log(row: Row, mode: str, box: RunBox, recorded: Recorded, parser: Path) -> None:
    """Checks that the only logs are that of the run, those of the MPI jobs in it, and those of
    processes that outlive `darshan run`. Also checks that no other file is left, and that PyDarshan
    reads the same from each log."""
    if row.outlives and mode == "run":
        assert len(recorded.paths) >= row.logs
    else:
        assert len(recorded.paths) == row.logs
    assert box.unexpected() == []
    for path in recorded.paths:
        compare_with_pydarshan(parser, path)


def processes(recorded: Recorded, parser: Path) -> float:
    """Returns the number of processes in the log of a run."""
    return max(read_logs(parser, path).total("PROCESS_COUNT") for path in recorded.paths)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("row", "mode"), [pytest.param(row, mode, id=f"{row.name}-{mode}") for row, mode in cases()]
)
def test_run(row: Row, mode: str, runner: Runner, parser: Path) -> None:
    """The program prints the same with the runtime, in this mode, and the log has the calls that
    strace saw. mode: how the runtime is used."""
    needs("ptrace", *row.needs)
    if lacking := missing_module(row):
        absent(f"{lacking} is not installed")
    bare = runner.bare(row).outcome
    assert bare.status == row.status, bare.stderr.decode(errors="replace")
    box, outcome, counts = runner.recorded(row, mode)
    assert said(row, outcome) == said(row, bare)
    assert lasting(row, outcome) == lasting(row, bare)

    if row.killed and mode == "preload":
        box.recover()
    recorded = box.recorded()
    assert recorded.paths
    assert recorded.others == []
    one_log(row, mode, box, recorded, parser)
    counted = runner.bare(row).processes
    if counted and not (row.outlives and mode == "run"):
        assert processes(recorded, parser) == counted
    assert any(name.startswith(str(box.work)) for name in counts), "strace saw no file of its own"
    found = differences(row, counts, recorded.log, str(box.work))
    assert not found, "\n".join(found).replace(f"{box.base}/", "")
