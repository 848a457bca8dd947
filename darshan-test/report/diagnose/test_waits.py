"""Findings on ranks that wait while one rank does I/O, for logs with and without measured waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from darshan_report import Log
from darshan_report.diagnose.run import diagnose

from .build import MIB, Job, number_of, row, write
from .cases_over_time import waits

NAME = "one-process-does-all"


def alone(moved: int, *, reads: bool = False) -> Job:
    """Returns a job of which only rank 0 does I/O: it writes, or reads, `moved` bytes in large
    pieces in 0.7 s."""
    kind = "READ" if reads else "WRITE"
    done = "READ" if reads else "WRITTEN"
    values = {
        "OPENS": 1,
        f"{kind}S": 200,
        f"SEQ_{kind}S": 199,
        f"BYTES_{done}": moved,
        f"MAX_BYTE_{done}": moved - 1,
        f"F_{kind}_TIME": 0.7,
    }
    return Job((row("POSIX", "/a", **values), row("STDIO", "heatmap:POSIX")), nprocs=8)


def told(job: Job, folder: Path) -> dict[str, float]:
    """Returns the findings with a potential saving: the seconds of the run that each could save, by
    name."""
    with Log(write(job, folder / "log.darshan")) as log:
        return {f.name: f.stake.run for f in diagnose(log) if f.stake.run > 0}


def test_without_waits_the_others_may_wait(tmp_path: Path) -> None:
    """Logs of other versions do not record waits: one process that writes alone in a large job is
    reported, one of two is not."""
    job = alone(400 * MIB)
    assert NAME in told(job, tmp_path)
    assert NAME not in told(replace(job, nprocs=2), tmp_path)


def test_with_waits_the_stake_is_the_waiting(tmp_path: Path) -> None:
    """If seven of eight ranks wait while one works for 0.7 s, the potential saving is seven eighths
    of this time; if they wait later, there is no finding."""
    job = alone(400 * MIB, reads=True)
    found = told(replace(job, extra=waits(1, wait=True)), tmp_path)
    assert abs(found[NAME] - 0.7 * 7 / 8) < 1e-3
    assert NAME not in told(replace(job, extra=waits(1, wait=False)), tmp_path)


def test_small_input_for_all(tmp_path: Path) -> None:
    """One rank that reads a few MiB for all is not reported, even if the others wait; one that
    reads 20 MiB is."""
    waiting = waits(1, wait=True)
    assert NAME in told(replace(alone(20 * MIB, reads=True), extra=waiting), tmp_path)
    assert NAME not in told(replace(alone(4 * MIB, reads=True), extra=waiting), tmp_path)


def test_damaged_waits(tmp_path: Path) -> None:
    """A record that ends early adds no waiting, and no rule fails."""
    heat, module = waits(1, wait=True)
    cut = replace(module, tail=bytes(60))
    assert NAME in told(replace(alone(400 * MIB, reads=True), extra=(heat, cut)), tmp_path)


def test_calls_of_one_rank_cost_the_run(tmp_path: Path) -> None:
    """If one rank makes all calls of a finding, and the others wait for it, the run may save the
    time of this rank; if the others do not wait, or the log does not tell, an eighth of it."""
    job = Job(
        (
            row("POSIX", "/a", OPENS=1, WRITES=128, BYTES_WRITTEN=64 * MIB, ACCESS1_ACCESS=524290,
                ACCESS1_COUNT=100, ACCESS2_ACCESS=131072, ACCESS2_COUNT=28),
            row("SITES", "write;/usr/lib/libgfortran.so.5+100;/a.f90:3:save", FRAMES=2, FILE_BITS=1,
                PROCESSES=1, WRITES=128, BYTES_WRITTEN=64 * MIB, F_GAP_MEDIUM_TIME=0.96,
                GAPS_MEDIUM=128, FILE1_BY_CALLS=number_of("/a"), FILE1_CALLS=128),
            row("USAGE", "app", F_USER_TIME=5.0),
            row("STDIO", "heatmap:POSIX"),
        ),
        nprocs=8,
        seconds=1,
    )  # fmt: skip
    name = "conversion-writing"
    waited = told(replace(job, extra=waits(1, wait=True)), tmp_path)
    assert abs(waited[name] - 0.96) < 0.05, waited
    for other in (replace(job, extra=waits(1, wait=False)), job):
        assert abs(told(other, tmp_path)[name] - 0.96 / 8) < 0.01
