"""The module APMPI counts MPI communication exactly, and only if it is enabled."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.environment import preload
from logs.apmpi import CALLS
from mpi.launch import MPIS, Runner
from sample import turning

from .observe import HERE, ON, ONE_MPI, YIELDING, expected, program, read, run

MODULES = HERE.parents[1] / "runtime" / "modules"
# The tables of the functions that the runtime counts.
TABLES = [MODULES / "apmpi" / "calls.def", MODULES / "mpiio" / "waits.def"]
# A row of a table; the group is the function.
ROW = re.compile(r"^[A-Z_]+\((MPI_\w+)", re.M)
# The MPI libraries that have functions with large counts.
LARGE = [mpi for mpi in MPIS if mpi.has_large_counts]
# Each MPI library with each form of functions: int counts, or large ones.
FORMS = [*((mpi, "") for mpi in MPIS), *((mpi, "-DLARGE") for mpi in LARGE)]


def called(programs: list[list[str]]) -> set[str]:
    """Returns the functions to which programs refer, including those of other libraries. programs:
    command lines."""
    names = set()
    for command in programs:
        done = subprocess.run(["nm", "-D", command[0]], check=True, capture_output=True, text=True)
        names |= {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    return names


def test_every_function_has_a_case(runner: Runner) -> None:
    """The test programs call each MPI function of the runtime's tables: calls.c those with a
    counter, communication.c of mpi/ the others. MPI_Request_free is called by mpiio/requests.c."""
    rows = {name for table in TABLES for name in ROW.findall(table.read_text())}
    programs = [program(runner, "calls.c"), program(runner, "calls.c", "-DLARGE")]
    others = [[str(runner.build("communication.c"))]]
    large = runner.programs / f"communication-LARGE.{runner.mpi.name}"
    others.append([str(runner.mpi.build("communication.c", large, "-DLARGE"))])
    assert rows - called([*programs, *others]) == {"MPI_Request_free"}  # mpiio/requests.c
    names = {name.removeprefix("MPI_").removesuffix("_c").upper() for name in rows}
    assert set(CALLS) <= names


@pytest.mark.parametrize(("mpi", "form"), turning(FORMS, 0.5, "apmpi"), indirect=["mpi"])
def test_counts(runner: Runner, form: str) -> None:
    """The log of three ranks has exactly the APMPI counters that the program wrote down, for
    functions with int counts and for large-count ones (form)."""
    ranks = 3
    command = program(runner, "calls.c", *([form] if form else []))
    talk = run(runner, ranks, command)
    assert talk.heads == 1
    assert talk.ranks() == set(range(ranks))
    seen = set()
    for rank in range(ranks):
        counts = talk.counts(rank)
        assert counts == expected(runner.data, rank)
        seen |= set(counts)
        assert all(value[0] == sum(value[2:]) for value in counts.values() if len(value) > 1)
    assert seen == set(CALLS)


@pytest.mark.parametrize("mpi", LARGE, indirect=True)
def test_collectives_under_way_together(runner: Runner) -> None:
    """APMPI counts nonblocking collectives with large counts correctly, although MPI reads the
    arrays of counts until the call completes."""
    talk = run(runner, 3, program(runner, "begun.c"))
    for rank in range(3):
        assert talk.counts(rank) == expected(runner.data, rank)


def test_times(runner: Runner) -> None:
    """The times in APMPI records are consistent with each other, and the variance in the head is
    that over the ranks."""
    ranks = 4
    talk = run(runner, ranks, [*program(runner, "late.c"), "finalize"])
    totals = []
    for rank in range(ranks):
        sum_of_all = 0.0
        for name in CALLS:
            total, least, most = (
                talk.number(rank, f"{name}_{what}_TIME") for what in ("TOTAL", "MIN", "MAX")
            )
            assert 0 <= least <= most <= total + 1e-6
            assert (total > 0) == (name in ("BARRIER", "ALLREDUCE"))
            sum_of_all += total
        totals.append(talk.number(rank, "TOTAL_COMM_TIME"))
        assert totals[-1] == pytest.approx(sum_of_all, abs=1e-5)
    mean = sum(totals) / ranks
    variance = sum((total - mean) ** 2 for total in totals) / ranks
    assert talk.number(0, "TOTAL_COMM_TIME_VARIANCE") == pytest.approx(variance, abs=1e-6)
    assert not [counter for _, counter in talk.rows if "SYNC" in counter.replace("WIN_SYNC", "")]


def test_waiting_is_measured_if_that_is_asked_for(runner: Runner) -> None:
    """With DARSHAN_APMPI_COLL_SYNC, the ranks wait in a barrier before each collective. Its time is
    in the SYNC_TIME counters, and the barrier is not counted as a call of the program."""
    talk = run(
        runner,
        3,
        [*program(runner, "late.c"), "finalize"],
        {"DARSHAN_APMPI_COLL_SYNC": "yes"},
    )
    for rank in range(3):
        assert talk.counts(rank) == expected(runner.data, rank)
        waits = [talk.number(rank, f"{name}_TOTAL_SYNC_TIME") for name in ("BARRIER", "ALLREDUCE")]
        assert min(waits) > 0
        assert talk.number(rank, "TOTAL_COMM_SYNC_TIME") == pytest.approx(sum(waits), abs=1e-5)
        assert talk.number(rank, "BCAST_TOTAL_SYNC_TIME") == 0
    assert talk.number(0, "TOTAL_COMM_SYNC_TIME_VARIANCE") >= 0


@ONE_MPI
@pytest.mark.parametrize(
    "other", ["DARSHAN_APMPI_COLL_SYNC=0", "DARSHAN_MODMEM=0", "DARSHAN_DISABLE=1"]
)
def test_nobody_waits_for_who_does_not_come(runner: Runner, other: str) -> None:
    """With DARSHAN_APMPI_COLL_SYNC, a job ends even if one rank lacks the setting, memory for a
    record, or recording altogether: no other rank waits for it in a barrier."""
    command = [*program(runner, "late.c"), "finalize"]
    settings = {**YIELDING, **ON, "DARSHAN_APMPI_COLL_SYNC": "1"}
    script = f'[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 0 ] || export {other}; exec "$@"'
    runner.run(2, ["sh", "-c", script, "sh", *command], settings)


@pytest.mark.parametrize("mpi", [mpi for mpi in MPIS if mpi.name == "openmpi"], indirect=True)
def test_strangers_do_not_meet(runner: Runner, tmp_path: Path) -> None:
    """With DARSHAN_APMPI_COLL_SYNC, a job that spawns processes that are not instrumented and makes
    collective calls with them does not hang."""
    script = tmp_path / "unobserved"
    (command,) = program(runner, "strangers.c")[:1]
    script.write_text(f"#!/bin/sh\nunset LD_PRELOAD\nexec {command}\n")
    script.chmod(0o755)
    runner.run(2, [command, str(script)], {**YIELDING, **ON, "DARSHAN_APMPI_COLL_SYNC": "1"})


@ONE_MPI
@pytest.mark.parametrize("settings", [{}, {"DARSHAN_MOD_ENABLE": "POSIX"}])
def test_off_unless_asked_for(runner: Runner, settings: dict[str, str]) -> None:
    """Without the setting, or with only another module enabled, the log has nothing about
    communication."""
    job = runner.run(2, [*program(runner, "late.c"), "finalize"], {**YIELDING, **settings})
    (log,) = job.logs
    assert read(runner.parser, log).rows == {}
    done = subprocess.run([runner.parser, log], check=True, capture_output=True, text=True)
    assert "APMPI" not in done.stdout


@ONE_MPI
def test_the_configuration_file_asks_for_it(runner: Runner, tmp_path: Path) -> None:
    """The configuration file can enable APMPI, too: the log then has its records."""
    config = tmp_path / "darshan.conf"
    config.write_text("MOD_ENABLE APMPI\n")
    settings = {**YIELDING, "DARSHAN_CONFIG_PATH": str(config)}
    job = runner.run(2, [*program(runner, "late.c"), "finalize"], settings)
    (log,) = job.logs
    assert read(runner.parser, log).counts(1) == expected(runner.data, 1)


@ONE_MPI
def test_no_room_for_a_record(runner: Runner, tmp_path: Path) -> None:
    """With MAX_RECORDS 0 for APMPI, the log has no APMPI rows, and no message is printed."""
    config = tmp_path / "darshan.conf"
    config.write_text("MOD_ENABLE APMPI\nMAX_RECORDS 0 APMPI\n")
    settings = {"DARSHAN_MOD_ENABLE": "APMPI", "DARSHAN_CONFIG_PATH": str(config)}
    talk = run(runner, 2, [*program(runner, "late.c"), "finalize"], settings)
    assert talk.rows == {}


def test_what_mpi_calls_itself_does_not_count(runner: Runner) -> None:
    """Calls that MPI makes itself, within MPI-IO or to make communicators and windows, are not in
    the APMPI counters."""
    talk = run(runner, 3, program(runner, "inside.c"))
    for rank in range(3):
        assert talk.counts(rank) == expected(runner.data, rank)


def test_threads(runner: Runner) -> None:
    """APMPI counters are exact if several threads communicate (MPI_THREAD_MULTIPLE) and signal
    handlers interrupt them."""
    talk = run(runner, 2, program(runner, "threads.c"))
    for rank in range(2):
        assert talk.counts(rank) == expected(runner.data, rank)


@ONE_MPI
@pytest.mark.parametrize("first", ["tool", "darshan"])
def test_beside_another_tool(runner: Runner, first: str) -> None:
    """With a second MPI tool, loaded before or after the runtime, a call that passes the wrappers
    of both MPI_x and PMPI_x is counted once."""
    name = runner.programs / f"tool.{runner.mpi.name}.so"
    tool = runner.mpi.build("tool.c", name, "-shared", "-fPIC")
    pair = (tool, runner.library) if first == "tool" else (runner.library, tool)
    command = [*program(runner, "late.c"), "finalize"]
    talk = run(runner, 2, command, preload(*pair, between=" "))
    assert talk.counts(1) == expected(runner.data, 1)


def test_killed_ranks(runner: Runner, build: Path) -> None:
    """The journals of a killed job can be read as logs, each with one head. darshan-merge makes one
    log of them, with one head, all counters and the variance over the ranks."""
    command = [*program(runner, "late.c"), "killed"]
    job = runner.run(3, command, {**YIELDING, **ON})
    assert len(job.journals) == 3, job
    for path in job.journals:
        assert read(runner.parser, path).heads == 1
    log = runner.folder / "merged.darshan"
    subprocess.run([build / "darshan-merge", "-o", log, *job.journals], check=True)
    talk = read(runner.parser, log)
    assert (talk.heads, talk.ranks()) == (1, {0, 1, 2})
    totals = [talk.number(rank, "TOTAL_COMM_TIME") for rank in range(3)]
    for rank in range(3):
        assert talk.counts(rank) == expected(runner.data, rank)
    mean = sum(totals) / 3
    variance = sum((total - mean) ** 2 for total in totals) / 3
    assert talk.number(0, "TOTAL_COMM_TIME_VARIANCE") == pytest.approx(variance, abs=1e-6)


@ONE_MPI
def test_ranks_left_out(runner: Runner) -> None:
    """If rank 0 is not recorded, the first of the other ranks writes the head."""
    command = [*program(runner, "late.c"), "finalize"]
    talk = run(runner, 3, command, {"DARSHAN_RANK_EXCLUDE": "0"})
    assert (talk.heads, talk.ranks()) == (1, {1, 2})


@ONE_MPI
def test_pydarshan_reads_it(runner: Runner) -> None:
    """PyDarshan 3.5.0 reads the same APMPI values from the log as darshan-parser prints."""
    job = runner.run(2, [*program(runner, "late.c"), "finalize"], {**YIELDING, **ON})
    (log,) = job.logs
    talk = read(runner.parser, log)
    read_it = [sys.executable, str(HERE / "scripts" / "with_pydarshan.py"), str(log)]
    done = subprocess.run(read_it, check=True, capture_output=True, text=True)
    head, *records = json.loads(done.stdout)
    variance = talk.number(0, "TOTAL_COMM_TIME_VARIANCE")
    assert head["variance_total_mpitime"] == pytest.approx(variance, abs=1e-6)
    assert [record["rank"] for record in records] == [0, 1]
    for record in records:
        rank, values = record["rank"], record["all_counters"]
        same = [name for name in values if (rank, name) in talk.rows]
        assert len(same) == 396 + 222 + 1
        for name in same:
            assert float(talk.rows[rank, name]) == pytest.approx(float(values[name]), abs=1e-6)
