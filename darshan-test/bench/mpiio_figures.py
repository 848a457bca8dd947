"""Measures the runtime's cost for a small write by MPI-IO, for communication calls and for
MPI_Init, with each installed MPI."""

from __future__ import annotations

import os
import statistics
import subprocess
from pathlib import Path

from machine import Bench, interleaved, plain_environment
from rank_figures import starter
from rows import Row

HERE = Path(__file__).resolve().parent
RANKS = 4
CALLS = 50_000
# Goal in nanoseconds for a write.
GOAL = 400
# Name, settings, and goal in nanoseconds for a communication call: without a record, with its wait
# measured (MPIWAIT, the default), and with the call counted, too (APMPI).
GOALS = (
    ("not measured", ["DARSHAN_MOD_DISABLE=MPIWAIT"], 3),
    ("measured", [], 60),
    ("counted", ["DARSHAN_MOD_ENABLE=APMPI"], 80),
)
# By kind of talk-cost.c: label, and number of MPI calls.
TALKS = {
    "send": ("MPI_Send to the null process", 1),
    "barrier": ("MPI_Barrier of one process", 1),
    "send-recv": ("MPI_Isend to itself, MPI_Recv and MPI_Wait", 3),
    "allreduce": ("MPI_Allreduce of one process", 1),
    "isend-wait": ("MPI_Isend to the null process and MPI_Wait", 2),
}


def nanoseconds(command: list[str]) -> float:
    """Runs an MPI job that prints one number of nanoseconds, and returns the number. Raises
    CalledProcessError if it fails, and TimeoutExpired after two minutes."""
    done = subprocess.run(
        command, env=plain_environment(), capture_output=True, text=True, check=True, timeout=120
    )
    return float(done.stdout)


def writes(bench: Bench) -> list[Row]:
    """Measures writes by MPI-IO in processor time, which does not include waiting, with each
    installed MPI. Returns a row of the table of results for each."""
    rows = []
    for flavour in ("openmpi", "mpich"):
        start, program = starter(flavour, RANKS), bench.folder / f"mpiio-cost.{flavour}"
        if not start:
            continue
        subprocess.run(
            [f"mpicc.{flavour}", "-O2", "-o", str(program), str(HERE / "mpiio-cost.c")], check=True
        )
        settings = [f"{key}={value}" for key, value in bench.settings().items()]
        command = [str(program), str(CALLS), str(bench.empty("work"))]
        added = interleaved(
            bench.repetitions,
            lambda line=[*start, *command]: nanoseconds(line),
            lambda line=[*start, *settings, *command]: nanoseconds(line),
            lambda: 0.0,
        )
        rows.append(
            Row(
                f"MPI_File_write_at of 64 bytes, {RANKS} ranks, {flavour}",
                added.text(),
                f"{GOAL} ns",
                added.fastest <= GOAL,
            )
        )
    return rows


def talk(bench: Bench) -> list[Row]:
    """Measures MPI communication calls without a record, with MPIWAIT, and with MPIWAIT and APMPI,
    with each installed MPI. Returns rows of the table of results."""
    rows = []
    for flavour in ("openmpi", "mpich"):
        start, program = starter(flavour, 1), bench.folder / f"talk-cost.{flavour}"
        if not start:
            continue
        compiler = [f"mpicc.{flavour}", "-O2", "-o", str(program)]
        subprocess.run([*compiler, str(HERE / "talk-cost.c")], check=True)
        settings = [f"{key}={value}" for key, value in bench.settings().items()]
        for kind, (label, calls) in TALKS.items():
            command = [str(program), kind, str(CALLS)]
            for what, more, goal in GOALS:
                added = interleaved(
                    bench.repetitions,
                    lambda line=[*start, *command]: nanoseconds(line),
                    lambda line=[*start, *settings, *more, *command]: nanoseconds(line),
                    lambda: 0.0,
                )
                most, met = f"{goal * calls} ns", added.fastest <= goal * calls
                rows.append(Row(f"{label}, {what}, {flavour}", added.text(1), most, met))
    return rows


def inits(bench: Bench) -> list[Row]:
    """Measures how long the runtime delays a job in MPI_Init, with one processor per rank, and with
    more ranks than processors. Returns rows of the table of results for each installed MPI."""
    rows = []
    processors = len(os.sched_getaffinity(0))
    for flavour in ("openmpi", "mpich"):
        if not starter(flavour):
            continue
        program, tool = (bench.folder / f"init.{flavour}{end}" for end in ("", ".so"))
        compiler = [f"mpicc.{flavour}", "-O2", "-o"]
        subprocess.run([*compiler, program, HERE / "init-cost.c", "-ldl"], check=True)
        subprocess.run(
            [*compiler, tool, "-shared", "-fPIC", HERE / "init-tool.c"],
            check=True,
        )
        settings = [f"{key}={value}" for key, value in bench.settings(str(tool)).items()]
        for ranks in (processors, 2 * processors):
            line = [*starter(flavour, ranks), *settings, str(program)]
            taken = [nanoseconds(line) / 1e6 for _ in range(bench.repetitions)]
            middle = statistics.median(taken)
            rows.append(
                Row(
                    f"MPI_Init, {ranks} ranks on {processors} processors, {flavour}",
                    f"+{middle:.2f} ms ({min(taken):.2f} to {max(taken):.2f})",
                    "1 ms",
                    middle <= 1,
                )
            )
    return rows
