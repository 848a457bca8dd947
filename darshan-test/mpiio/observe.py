"""Runs an MPI-IO program with each MPI, and reads the records of its log."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import lab.log
from mpi.launch import Runner

from .model import Trace, read_trace

HERE = Path(__file__).resolve().parent
# The sources of the program that calls everything.
SOURCES = ("main.c", "transfers.c", "requests.c", "metadata.c")
# Options of the compiler. One warning is off, because MPICH's annotations say that
# MPI_STATUSES_IGNORE is too small.
OPTIONS = ("-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow")
OPTIONS += ("-rdynamic",)  # large.c defines functions for the MPI library
# With more ranks than processors, a waiting rank gives its processor to another one.
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}

# Counters of a record, by their names without the prefix.
Row = dict[str, float]


@dataclass
class Seen:
    """The records in the logs of a job, and the expected records of each rank."""

    traces: list[Trace]
    # module -> (rank, name without folder) -> counter without prefix -> value
    modules: dict[str, dict[tuple[int, str], Row]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    logs: list[Path] = field(default_factory=list)


def read_rows(parser: Path, log: Path, seen: Seen) -> None:
    """Adds the records of a log to `seen`."""
    for row in lab.log.read_rows(parser, log):
        seen.modules[row.module][row.rank, Path(row.name).name][row.short] = row.value


def run(
    runner: Runner, ranks: int, extra: dict[str, str], sources: tuple[str, ...] = SOURCES
) -> Seen:
    """Compiles and runs one job, with a separate record for each rank, and fails if it does not
    succeed. Returns its records and the expected ones. extra: variables to add; sources: files of
    the program."""
    folder = runner.folder / "files"
    folder.mkdir()
    others = [str(HERE / name) for name in sources[1:]]
    program = runner.build(str(HERE / sources[0]), *OPTIONS, *others)
    settings = {"DARSHAN_DISABLE_SHARED_REDUCTION": "1", **YIELDING, **extra}
    job = runner.run(ranks, [str(program), str(folder)], settings)
    assert (job.code, job.error) == (0, ""), job.error
    assert job.journals == []
    seen = Seen([read_trace(folder / f"trace.{rank}") for rank in range(ranks)], logs=job.logs)
    for log in job.logs:
        read_rows(runner.parser, log, seen)
    return seen
