"""Each MPI job has the same results as without the runtime, and its single log has strace's
counts."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from lab.log import Log, read_logs
from logs.pydarshan import compare_with_pydarshan
from mpi.launch import ROOT_MAY_RUN, ranks_of
from place import absent, elsewhere
from sample import turning

from .compare import differences, sizes
from .jobs import JOBS, Job
from .sandbox import Outcome, Sandbox


def of_work(log: Log, work: Path) -> Log:
    """Returns the log with only the files in the work folder and the standard streams, without
    those that an MPI library creates elsewhere."""
    kept = {
        (module, name): row
        for (module, name), row in log.records.items()
        if name.startswith((f"{work}/", "<"))
    }
    return replace(log, records=kept)


def command(job: Job, box: Sandbox, settings: dict[str, str]) -> list[str]:
    """Returns the command line that starts a job with mpiexec. settings: variables for the
    ranks."""
    own = {k: v.format(work=box.work) for k, v in job.environment.items()}
    return job.mpi.launch(ranks_of(job.ranks, own | settings, job.command))


def lasting(job: Job, outcome: Outcome) -> dict[str, str]:
    """Returns the properties of the files that must be the same in every run, by name: all except
    those that match job.changing."""
    return {n: d for n, d in outcome.files.items() if not re.fullmatch(job.changing, n)}


NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def shown(job: Job, box: Sandbox) -> dict[str, bytes]:
    """Returns the contents of the files that differ between runs, as job.shown_by prints them, by
    file name; {} if the job has no such command."""
    found = {}
    for path in sorted(box.work.rglob("*")) if job.shown_by else ():
        if re.fullmatch(job.changing, path.name):
            done = subprocess.run([*job.shown_by, path], capture_output=True, check=True)
            found[path.name] = done.stdout
    return found


def same(a: bytes, b: bytes, tolerance: float) -> bool:
    """Returns whether two texts are equal, except that their numbers may differ by `tolerance`."""
    if NUMBER.sub(b"#", a) != NUMBER.sub(b"#", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= tolerance for x, y in pairs)


def test_same() -> None:
    """Numbers that differ by less than the tolerance are equal; other text must be the same."""
    assert same(b"x: 1.5, -2e-07 }", b"x: 1.5004, -0 }", 1e-3)
    assert not same(b"x: 1.5", b"x: 1.6", 1e-3)
    assert not same(b"x: 1.5", b"y: 1.5", 1e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "job", [pytest.param(job, id=job.name) for job in turning(JOBS, 1 / 3, "jobs")]
)
def test_job(job: Job, build: Path, parser: Path, tmp_path: Path) -> None:
    """A job has the same output and files with the runtime, leaves one log that PyDarshan can read,
    and this log has strace's counts and the files that were opened by MPI-IO."""
    if lacking := job.missing():
        absent(f"{lacking} is not installed")
    box = Sandbox(tmp_path / "box", build, job.setup, dict(ROOT_MAY_RUN))
    bare = box.bare(command(job, box, {}))
    if b"have been removed from LAMMPS" in bare.stdout:
        elsewhere("LAMMPS writes no longer through MPI-IO")
    contents = shown(job, box)
    # Only MPI programs leave a log; numpy, for example, starts `uname -p` on each rank.
    settings = {k: v for k, v in box.settings().items() if k != "DARSHAN_ENABLE_NONMPI"}
    run, counts = box.traced(command(job, box, settings))

    assert bare.status == run.status == 0, (bare.stderr, run.stderr)
    assert run.stderr == bare.stderr
    assert job.prints_times or run.stdout == bare.stdout
    assert lasting(job, run) == lasting(job, bare)
    assert run.files.keys() == bare.files.keys()
    again = shown(job, box)
    assert again.keys() == contents.keys()
    different = [n for n in again if not same(again[n], contents[n], job.rounding)]
    assert not different

    recorded = box.recorded()
    assert len(recorded.paths) == 1
    assert recorded.journals == recorded.others == []
    compare_with_pydarshan(parser, recorded.paths[0])
    log = read_logs(parser, recorded.paths[0])
    assert log.header["nprocs"] == str(job.ranks)

    work = f"{box.work}/"
    ours = {name: tally for name, tally in counts.items() if name.startswith(work)}
    assert ours, "strace saw no file of its own"
    found = differences(ours, of_work(recorded.log, box.work), "", r"/lib/")
    assert not found, "\n".join(found).replace(work, "")
    wrong = sizes(recorded.log, box.sizes_left(), job.resized)
    assert not wrong, "\n".join(wrong).replace(work, "")

    written = {name for name in log.names() if name.startswith(work)}
    expected = {n for n in written if re.fullmatch(job.together, n.removeprefix(work))}
    assert expected
    collective = {row.name for row in log.rows if row.module == "MPI-IO"}
    assert {name for name in collective if name.startswith(work)} == expected
