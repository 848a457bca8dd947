"""Communication inside calls of upper layers is timed, and what it carries is not changed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from .launch import Log, Runner

CALLS = Path(__file__).resolve().parent.parent.parent / "runtime/modules/layers/calls.def"
ROW = re.compile(r"^MPI_TIMED\((\w+)", re.M)


def test_every_function_has_a_case(runner: Runner) -> None:
    """communication.c calls all of them."""
    program = runner.build("communication.c")
    done = subprocess.run(["nm", "-D", program], check=True, capture_output=True, text=True)
    called = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    names = set(ROW.findall(CALLS.read_text()))
    assert names
    assert names <= called


def communication(log: Log) -> float:
    """Calls of communication below upper layers."""
    return sum(
        value for (_, _, _, counter), value in log.rows.items() if counter.endswith("_COMM_CALLS")
    )


@pytest.mark.parametrize("ranks", [2, 4])
def test_calls_inside_are_counted_once(runner: Runner, ranks: int) -> None:
    """Both runs make the same calls, one of them inside an MPI-IO call."""
    program = str(runner.build("communication.c"))
    found = {}
    for where in ("outside", "inside"):
        runner.environment()
        job = runner.run(ranks, [program, where])
        assert job.code == 0, job
        found[where] = communication(runner.read(job.logs[-1]))
        calls = int(job.out.split("calls ")[1])
        for path in job.logs:
            path.unlink()
    assert found["inside"] - found["outside"] == calls * ranks
