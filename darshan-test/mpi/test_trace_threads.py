"""Thread ids in DXT traces: if one rank of a job does not record them, the log has no thread ids of
any rank, because the traces of all ranks are in one region of one format."""

from __future__ import annotations

import subprocess

import pytest

from .launch import Runner

# Environment that turns traces on.
TRACE = {"DXT_ENABLE_IO_TRACE": "1"}


@pytest.mark.parametrize("asking", [2, 1])
def test_ranks_agree(runner: Runner, asking: int) -> None:
    """If only one of two ranks records thread ids, the log has all segments of both, but no thread
    ids; if both do, it has them. asking: how many of the two ranks record them."""
    program = [str(runner.build("job.c")), "finalize", str(runner.data)]
    parts: list[str] = []
    for rank in range(2):
        env = runner.environment(TRACE | ({"DARSHAN_DXT_THREADS": "1"} if rank < asking else {}))
        words = [f"{key}={value}" for key, value in env.items()]
        parts += [*([":"] if parts else []), "-n", "1", "env", *words, *program]
    job = runner.start(runner.mpi.launch(parts))
    assert job.code == 0, job
    (log,) = job.logs
    parser = runner.parser.parent / "darshan-dxt-parser"
    done = subprocess.run([parser, log], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(" X_POSIX")]
    assert {row[1] for row in rows} == {"0", "1"}
    assert {row[-1].isdigit() for row in rows} == {asking == 2}
