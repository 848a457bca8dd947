"""Measures the cost of a log of many ranks: simulated for any number of ranks, and in real MPI
jobs."""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from machine import Bench, plain_environment
from rows import Row

HERE = Path(__file__).resolve().parent
# Seconds of a message in a typical cluster network.
MESSAGE_SECONDS = 2e-6
JOB_RANKS = 32
TIMING = re.compile(r"writing the log (\d+) us")
# Number of files that all ranks share, number of files of each rank, and goals in ms and KB.
JOBS = ((0, 0, 10, 0), (1000, 0, 40, 74), (0, 1000, 60, 1522))


@dataclass
class Played:
    """The simulated cost of a log of a job, as if every rank had its own processor."""

    ranks: int
    seconds: float  # from the first rank's begin to the last one's end
    busiest: float  # processor seconds of the busiest rank
    traffic: int  # bytes that the busiest rank sent and received
    message: int  # bytes of the largest message
    size: int  # bytes of the log


def play(program: Path, folder: Path, ranks: int) -> Played:
    """Simulates the end of a job with 100 files that all ranks share. Returns its cost. program:
    the simulator `play`; folder: for the log, which is removed again."""
    log = folder / f"{ranks}.darshan"
    command = [program, "--ranks", ranks, "--shared", 100, "--posix"]
    command += ["--clock", MESSAGE_SECONDS, log]
    done = subprocess.run([str(x) for x in command], capture_output=True, text=True, check=True)
    words = done.stdout.split()
    value = {words[i]: words[i + 1] for i in range(0, len(words), 2)}
    size = log.stat().st_size
    log.unlink()
    return Played(
        ranks,
        float(value["seconds"]),
        float(value["busiest"]),
        int(value["traffic"]),
        int(value["message"]),
        size,
    )


def sizes(largest: int) -> Iterator[int]:
    """Yields the numbers of ranks 1, 4, 16 and so on, as far as they do not exceed the largest."""
    ranks = 1
    while ranks <= largest:
        yield ranks
        ranks *= 4


def starter(flavour: str, ranks: int = JOB_RANKS) -> list[str]:
    """Returns the first words of a command that starts a job of this many ranks ("... env", to
    which variables and the program are added); [] if the MPI or its compiler is not installed.
    flavour: openmpi or mpich."""
    mpiexec = shutil.which(f"mpiexec.{flavour}")
    if not mpiexec or not shutil.which(f"mpicc.{flavour}"):
        return []
    openmpi = ["--allow-run-as-root", "--oversubscribe"] if flavour == "openmpi" else []
    return [mpiexec, *openmpi, "-n", str(ranks), "env"]


def job(bench: Bench, start: list[str], program: Path, shared: int, own: int) -> tuple[float, int]:
    """Runs an MPI job. Returns the milliseconds that the slowest rank needed to write the log, and
    the bytes of the log. start: from `starter`. shared, own: number of files that all ranks share,
    and of files of each rank."""
    logs, work = bench.empty("logs"), bench.empty("work")
    settings = bench.settings() | {"DARSHAN_INTERNAL_TIMING": "1"}
    command = [*start, *(f"{k}={v}" for k, v in settings.items()), str(program), str(work)]
    done = subprocess.run(
        [*command, str(shared), str(own)],
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    (log,) = logs.glob("*.darshan")
    return max(int(us) for us in TIMING.findall(done.stderr)) / 1000, log.stat().st_size


def ranks(bench: Bench) -> list[Row]:
    """Measures the time of the log at the end of real jobs of 32 ranks with each installed MPI.
    Returns rows of the table of results."""
    rows = []
    for flavour in ("openmpi", "mpich"):
        start, program = starter(flavour), bench.folder / f"shutdown.{flavour}"
        if not start:
            continue
        subprocess.run(
            [f"mpicc.{flavour}", "-O2", "-o", str(program), str(HERE / "shutdown.c")], check=True
        )
        for shared, own, goal, kilobytes in JOBS:
            taken = [job(bench, start, program, shared, own) for _ in range(5)]
            middle = statistics.median(ms for ms, _ in taken)
            least, size = min(ms for ms, _ in taken), statistics.median(n for _, n in taken)
            what = (
                f"{shared} shared files"
                if shared
                else f"{own} files per rank"
                if own
                else "no file"
            )
            rows.append(
                Row(
                    f"shutdown of {JOB_RANKS} ranks, {what}, {flavour}",
                    f"{middle:.1f} ms (fastest {least:.1f}), {size / 1000:.0f} KB",
                    f"{goal} ms" + (f", {kilobytes} KB" if kilobytes else ""),
                    middle <= goal and (not kilobytes or size <= kilobytes * 1000),
                )
            )
    return rows
