"""A finding about the machine, not about the program: the same job on one processor."""

from __future__ import annotations

import os
from pathlib import Path

from corpus import ROWS
from judge import OF_THE_MACHINE, Judge
from lab.findings import findings_of, problems
from place import needs


def test_ranks_that_share_a_processor(build: Path, tmp_path: Path) -> None:
    """Four ranks that wait for each other by polling share one processor; a collective call
    takes as many time slices as there are ranks."""
    row = next(row for row in ROWS if row.name == "ranks-c/file-view/mpich")
    needs("slow-calls", f"mpi:{row.mpi}")
    judge = Judge(build, tmp_path)
    here = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(here)})
        log = judge.log_of(row, cured=False)
    finally:
        os.sched_setaffinity(0, here)
    found = {f.name: f for f in problems(findings_of(build, log))}
    assert set(OF_THE_MACHINE) <= set(found), sorted(found)
    assert f"{row.ranks} ranks share 1 processor on 1 node" in found[OF_THE_MACHINE[0]].sentence
    assert "mpiexec -n 1" in found[OF_THE_MACHINE[0]].remedy.example
