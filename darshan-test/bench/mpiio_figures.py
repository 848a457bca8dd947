"""What is added to a small write by MPI-IO, with each MPI that is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from machine import Bench, interleaved, plain_environment
from ranks import starter
from rows import Row

HERE = Path(__file__).resolve().parent
RANKS = 4
CALLS = 50_000
GOAL = 400  # nanoseconds


def nanoseconds(command: list[str]) -> float:
    """Runs a job that prints one number."""
    done = subprocess.run(
        command, env=plain_environment(), capture_output=True, text=True, check=True, timeout=120
    )
    return float(done.stdout)


def writes(bench: Bench) -> list[Row]:
    """Rows of the table: processor time, which waiting ranks do not disturb."""
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
                f"+{added.fastest:.0f} ns between the fastest (in pairs {added.least:.0f} to"
                f" {added.most:.0f}, middle {added.added:.0f}) on {added.bare:.0f}",
                f"{GOAL} ns",
                added.fastest <= GOAL,
            )
        )
    return rows
