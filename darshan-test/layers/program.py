"""Runs a scenario of layers.c with the runtime and reads its records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lab.command import finished
from lab.environment import plain, settings, through_env
from lab.log import read_rows
from left import left_in
from place import needs

SECONDS = 120
# The operations of LAYERS records.
OPERATIONS = ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
# Name of the record of calls that are not made inside of HDF5.
APPLICATION = "<application>"

# Counters of a record, by their names without the module.
Row = dict[str, float]


@dataclass
class Outcome:
    """The results of a run of a scenario: its log, the time in HDF5 calls by the program's own
    clock, and the log's records."""

    log: Path
    spent: float  # seconds in HDF5 calls by the program's clock
    calls: int  # number of timed calls
    # module -> name of the record -> counter without prefix -> value
    modules: dict[str, dict[str, Row]] = field(default_factory=dict)

    @property
    def layers(self) -> dict[str, Row]:
        """Returns the LAYERS records, by name; counter names are without prefix."""
        return self.modules["LAYERS"]

    def dataset(self) -> Row:
        """Returns the LAYERS record of the scenario's dataset, which must be the only one."""
        (row,) = (row for name, row in self.layers.items() if name.endswith("a.h5:/d"))
        return row

    def posix(self, counter: str) -> float:
        """Returns the sum of a counter over all POSIX records."""
        return sum(row[counter] for row in self.modules["POSIX"].values())

    def below(self, what: str) -> float:
        """Returns the number of POSIX calls or bytes below HDF5 calls and the application, summed
        over all LAYERS records and operations. what: such as READS or BYTES_READ."""
        return sum(
            row[f"{operation}_POSIX_{what}"]
            for row in self.layers.values()
            for operation in OPERATIONS
        )


@dataclass
class Program:
    """The program with the scenarios (layers.c), and the folder for its run."""

    path: Path
    build: Path
    parser: Path
    folder: Path

    def run(self, scenario: str, *around: str | Path) -> Outcome:
        """Runs a scenario with the runtime; fails if the program does. Returns its results. around:
        words before its command, such as strace."""
        work, logs, journals = (self.folder / name for name in ("work", "logs", "journals"))
        for folder in (work, logs, journals):
            folder.mkdir()
        # Only the scenario is instrumented, not the command around it.
        command = [*through_env(settings(self.build, logs, journals)), self.path, scenario]
        done = finished([*around, *command], cwd=work, env=plain(), timeout=SECONDS)
        assert (done.returncode, done.stderr) == (0, "")
        assert not left_in(journals)
        (log,) = logs.rglob("*layers*.darshan")
        spent, calls = done.stdout.split()
        outcome = Outcome(log, float(spent), int(calls))
        read(self.parser, outcome)
        return outcome


def read(parser: Path, outcome: Outcome) -> None:
    """Adds the records of the run's log to outcome.modules."""
    for row in read_rows(parser, outcome.log):
        record = outcome.modules.setdefault(row.module, {}).setdefault(row.name, {})
        record[row.counter.removeprefix(f"{row.module}_")] = row.value


def program_of(build: Path, parser: Path, folder: Path) -> Program:
    """Returns the program of a build. Skips the test if the build has no HDF5. folder: for the
    runs."""
    needs("hdf5")
    path = build / "darshan-test" / "layers" / "layers"
    return Program(path, build, parser, folder)
