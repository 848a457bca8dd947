"""The time in blocking calls of MPI that MPIWAIT records agrees with the time that the programs
measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from apmpi.observe import read as talk_of
from apmpi.test_languages import FORTRAN, INTERFACES, library_folder
from mpi.launch import MPIS, Runner
from sample import turning

from .observe import HERE, RANKS, YIELDING, program, read, run, took

# Seconds by which times may differ: a program reads its clock before the runtime does, and may lose
# its processor in between.
MORE = 1e-3
# Half a unit of the bins in the log, in seconds. The bins are 0.1 s wide.
ROUNDED = 66e-6
# Least part of the program's own time that is recorded.
LEAST = 0.5  # part of the program's own time
# For tests that do not depend on the MPI library: each commit runs them with one library, ./dev
# full with both.
ONE_MPI = pytest.mark.parametrize("mpi", turning(MPIS, 0.5, "mpiwait-one"), indirect=True)


def same(measured: float, own: float) -> bool:
    """Returns whether the time in the log (`measured`) agrees with the one that the program
    measured (`own`), within a tolerance; both in seconds."""
    return LEAST * own - MORE <= measured <= own + MORE


@pytest.mark.parametrize("kind", ["messages", "requests", "collectives", "windows"])
@ONE_MPI
def test_waits_are_measured(runner: Runner, kind: str) -> None:
    """Ranks have the time that they spent in messages and requests, or in collectives and windows.
    kind: of calls."""
    waited = run(runner, [program(runner, "waits.c"), kind, str(runner.data)])
    assert set(waited) == set(range(RANKS))
    for rank, own in enumerate(took(runner)):
        assert own > 0
        if kind in ("messages", "requests"):
            assert same(waited[rank].message, own)
        elif kind == "collectives":
            # The sum includes the wait in MPI_Finalize, which the ranks reach one after the other.
            assert waited[rank].collective >= LEAST * own - MORE
            assert waited[rank].message == 0
        else:
            assert waited[rank].collective > 0
    assert {of.width for of in waited.values()} == {waited[0].width}


@ONE_MPI
def test_questions_are_no_waits(runner: Runner) -> None:
    """A loop of MPI_Test or MPI_Iprobe is not recorded as waiting, because these calls return
    immediately."""
    waited = run(runner, [program(runner, "waits.c"), "asks", str(runner.data)])
    assert [waited[rank].message for rank in range(RANKS)] == [0] * RANKS


@ONE_MPI
def test_threads_that_wait_together_count_once(runner: Runner) -> None:
    """If two threads of a rank wait at the same time, the time counts once."""
    waited = run(runner, [program(runner, "waits.c"), "threads", str(runner.data)])
    for rank, own in enumerate(took(runner)[:-1]):
        assert waited[rank].message <= own + MORE


@ONE_MPI
def test_calls_inside_of_libraries_are_theirs(runner: Runner) -> None:
    """Communication that MPI makes within an MPI-IO call is not recorded as waiting of the program;
    the same calls outside of one are."""
    command = str(runner.mpi.build("communication.c", runner.programs / f"in.{runner.mpi.name}"))
    for where in ("inside", "outside"):
        waited = run(runner, [command, where])
        assert (waited[0].message > 0) == (where == "outside")
        (log,) = (runner.folder / "logs").glob("*.darshan")
        log.unlink()


@ONE_MPI
def test_beside_apmpi_nothing_counts_twice(runner: Runner) -> None:
    """If APMPI and MPIWAIT are both on, the waiting times at messages equal the sums of APMPI's
    times of these calls, because the clock is read once for both."""
    job = runner.run(
        RANKS,
        [program(runner, "waits.c"), "messages", str(runner.data)],
        {**YIELDING, "DARSHAN_MOD_ENABLE": "APMPI"},
    )
    (log,) = job.logs
    waited, talk = read(runner.parser, log), talk_of(runner.parser, log)
    for rank in range(RANKS):
        sums = (talk.number(rank, f"{n}_TOTAL_TIME") for n in ("SEND", "SSEND", "RECV", "PROBE"))
        assert waited[rank].message == pytest.approx(sum(sums), abs=2e-5 + ROUNDED)


@pytest.mark.parametrize(
    ("mpi", "interface"), turning(FORTRAN, 0.34, "mpiwait-fortran"), indirect=["mpi"]
)
def test_fortran(runner: Runner, interface: str) -> None:
    """The collectives of a Fortran program are measured, by each interface."""
    command = [program(runner, "waits.F90", *INTERFACES[interface]), str(runner.data)]
    waited, own = run(runner, command), took(runner)
    assert LEAST * max(own) > MORE  # a busy machine may delay one of the ranks that wait
    for rank, seconds in enumerate(own):
        assert waited[rank].collective >= LEAST * seconds - MORE


@ONE_MPI
def test_python(runner: Runner) -> None:
    """The calls of an mpi4py program are measured."""
    settings = {
        "MPI4PY_MPIABI": runner.mpi.name,
        "LD_LIBRARY_PATH": library_folder(runner, program(runner, "waits.c")),
    }
    script = str(HERE / "scripts" / "waits.py")
    waited = run(runner, [sys.executable, script, str(runner.data)], settings)
    own = took(runner)[:-1]
    assert LEAST * max(own) > MORE
    for rank, seconds in enumerate(own):
        assert waited[rank].collective + waited[rank].message >= LEAST * seconds - MORE


@ONE_MPI
def test_a_rank_without_io_has_a_record(runner: Runner) -> None:
    """A rank without I/O has an MPIWAIT record, too, because it may be one that waits for the rank
    with all I/O."""
    job = runner.job("idle", RANKS, {"DARSHAN_MOD_DISABLE": "STDIO"})
    log = runner.only_log(job)
    assert {row.module for row in log.rows} == {"USAGE", "MPIWAIT"}
    assert set(read(runner.parser, job.logs[0])) == set(range(RANKS))


@ONE_MPI
@pytest.mark.parametrize("how", ["environment", "file"])
def test_switched_off(runner: Runner, tmp_path: Path, how: str) -> None:
    """Switched off in the environment or in the configuration file, the module leaves nothing in
    the log. how: "environment" or "file"."""
    config = tmp_path / "darshan.conf"
    config.write_text("MOD_DISABLE MPIWAIT\n" if how == "file" else "")
    settings = {"DARSHAN_CONFIG_PATH": str(config)}
    if how == "environment":
        settings["DARSHAN_MOD_DISABLE"] = "MPIWAIT"
    job = runner.run(
        RANKS, [program(runner, "waits.c"), "messages", str(runner.data)], {**YIELDING, **settings}
    )
    (log,) = job.logs
    done = subprocess.run([runner.parser, log], check=True, capture_output=True, text=True)
    assert job.code == 0
    assert "MPIWAIT" not in done.stdout
