"""Runs programs whose MPI communication is counted, and reads the records of their logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lab.log import parsed, rows_in
from logs.apmpi import SIZED, SIZES
from mpi.launch import MPIS, Runner
from sample import turning

HERE = Path(__file__).resolve().parent
# Options of the compiler. One warning is off, because MPICH's annotations say that
# MPI_STATUSES_IGNORE is too small.
OPTIONS = ("-std=c11", "-D_GNU_SOURCE", "-pthread", "-Wall", "-Wextra", "-Werror")
OPTIONS += ("-Wno-stringop-overflow",)
# The setting that counts communication.
ON = {"DARSHAN_MOD_ENABLE": "APMPI"}
# With more ranks than processors, a waiting rank gives its processor to another one.
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}

# For tests that do not depend on the MPI library: each commit runs them with one library, ./dev
# full with both.
ONE_MPI = pytest.mark.parametrize("mpi", turning(MPIS, 0.5, "apmpi-one"), indirect=True)

# By function: number of calls, and for functions with sizes the bytes and the calls of each size
# class.
Counts = dict[str, list[int]]


@dataclass
class Talk:
    """The APMPI rows of a log, as darshan-parser prints them: values by rank and counter, and the
    number of head records."""

    rows: dict[tuple[int, str], str] = field(default_factory=dict)
    heads: int = 0  # rows about all ranks

    def number(self, rank: int, counter: str) -> float:
        """Returns the value of a counter of a rank. counter: its name without "MPI_". Raises
        KeyError if the log lacks it."""
        return float(self.rows[rank, f"MPI_{counter}"])

    def ranks(self) -> set[int]:
        """Returns the ranks that have a record."""
        return {rank for rank, counter in self.rows if counter == "MPI_PROCESSOR_NAME"}

    def counts(self, rank: int) -> Counts:
        """Returns the counts of each MPI function that a rank called."""
        found = {}
        for sized in SIZED:
            name = sized.lstrip("-")
            more = () if sized.startswith("-") else ("TOTAL_BYTES", *_CLASSES)
            values = [int(self.number(rank, f"{name}_{what}")) for what in ("CALL_COUNT", *more)]
            if any(values):
                found[name] = values
        return found


# The counters of size classes, without their function.
_CLASSES = [f"MSG_SIZE_AGG_{size}" for size in SIZES]


def read(parser: Path, log: Path) -> Talk:
    """Reads the APMPI rows of a log with darshan-parser. Fails if a rank has two records."""
    talk = Talk()
    for row in rows_in(parsed(parser, log), "APMPI"):
        assert (row.name, row.mount, row.kind) == ("", "", "")
        assert (row.rank, row.counter) not in talk.rows, "two records of a rank"
        talk.rows[row.rank, row.counter] = row.text
        talk.heads += row.counter == "MPI_TOTAL_COMM_TIME_VARIANCE"
    return talk


def expected(folder: Path, rank: int) -> Counts:
    """Returns what a rank's program wrote down, for each MPI function: the number of calls and, for
    functions with sizes, the bytes and the calls of each size class. folder: of the program's
    output."""
    alone = {name[1:] for name in SIZED if name.startswith("-")}
    found = {}
    for line in (folder / f"expected.{rank}").read_text().splitlines():
        name, *numbers = line.split()
        found[name] = [int(number) for number in numbers[: 1 if name in alone else None]]
    return found


def program(runner: Runner, source: str, *options: str) -> list[str]:
    """Compiles a source file of this folder for the runner's MPI. Returns the command line, which
    ends in the folder for the program's output. options: for the compiler."""
    ending = "".join(option.removeprefix("-D").lower() for option in options)
    built = runner.programs / f"apmpi-{Path(source).stem}{ending}.{runner.mpi.name}"
    options += () if source.endswith(".F90") else OPTIONS
    runner.environment()
    return [str(runner.mpi.build(str(HERE / source), built, *options)), str(runner.data)]


def run(
    runner: Runner, ranks: int, command: list[str], extra: dict[str, str] | None = None
) -> Talk:
    """Runs an MPI job with APMPI enabled, and fails if it does not succeed. Returns the APMPI rows
    of its log. extra: variables to add."""
    job = runner.run(ranks, command, {**YIELDING, **ON, **(extra or {})})
    assert (job.code, job.error) == (0, ""), job
    assert job.journals == []
    (log,) = job.logs
    return read(runner.parser, log)
