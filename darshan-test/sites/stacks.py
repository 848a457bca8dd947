"""Runs programs with call sites recorded, and reads the call sites from their logs."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from lab.command import finished
from lab.environment import settings as switch_on
from lab.log import read_rows

SECONDS = 120
KINDS = ("OPENS", "CLOSES", "READS", "WRITES", "LOOKUPS", "SEEKS", "SYNCS", "OTHERS")
Row = dict[str, float]


@dataclass
class Site:
    """A record of SITES. name: of the record. row: its counters without prefix."""

    name: str
    functions: list[str]  # innermost first; "?" for a frame of another object
    row: Row

    @property
    def called(self) -> str:
        """Returns the name of the function that the program called."""
        return self.name.split(";")[0]


@dataclass
class Outcome:
    """The records of a log."""

    rows: dict[str, dict[str, Row]] = field(default_factory=dict)  # module -> name -> counters
    sites: list[Site] = field(default_factory=list)
    others: dict[str, Row] = field(default_factory=dict)  # function -> its calls without a site
    objects: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> build id, path

    def of(self, called: str, *functions: str) -> list[Site]:
        """Returns the sites of calls of `called` whose innermost frames are these functions,
        innermost first."""
        return [
            site
            for site in self.sites
            if site.called == called and site.functions[: len(functions)] == list(functions)
        ]

    def total(self, counter: str) -> float:
        """Returns the sum of a counter (without prefix) over all call sites, and over calls without
        a site."""
        rows = [site.row for site in self.sites] + list(self.others.values())
        return sum(row[counter] for row in rows)


def symbols(path: str) -> list[tuple[int, int, str]]:
    """Returns start address, end address and name of each function of a program, by nm."""
    done = subprocess.run(
        ["nm", "--defined-only", "-S", path], capture_output=True, text=True, check=True
    )
    found = []
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            start = int(words[0], 16)
            found.append((start, start + int(words[1], 16), words[3]))
    return found


def build_id(path: Path) -> str:
    """Returns the build id of a program, by readelf; "" if it has none."""
    done = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True)
    return next((x.split()[-1] for x in done.stdout.splitlines() if "Build ID" in x), "")


@dataclass
class Program:
    """Runs programs of a test. folder: of the test, in which "work", "logs" and "journals" are
    made. output: standard output of the last command."""

    build: Path
    parser: Path
    folder: Path
    output: str = ""  # of the last command

    @property
    def path(self) -> Path:
        """Returns the path of the compiled program sites.c."""
        return self.build / "darshan-test" / "sites" / "sites"

    def start(
        self, *command: str | Path, status: int = 0, tells: bool = False, **settings: str
    ) -> None:
        """Runs a command in the folder "work" of the test with the recording of call sites. Checks
        the exit status, and that stderr is empty unless `tells`. settings: variables to add."""
        work = self.folder / "work"
        for name in ("work", "logs", "journals"):
            (self.folder / name).mkdir(exist_ok=True)
        plain = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "LD_"))}
        ours = switch_on(
            self.build, self.folder / "logs", self.folder / "journals", DARSHAN_SITES="1"
        )
        done = finished(command, cwd=work, env=plain | ours | settings, timeout=SECONDS)
        assert (done.returncode, bool(done.stderr)) == (status, tells), done.stderr
        self.output = done.stdout

    def logs(self) -> list[Path]:
        """Returns the logs of this test."""
        return sorted((self.folder / "logs").rglob("*.darshan"))

    def run(self, *arguments: str, **settings: str) -> Outcome:
        """Runs a scenario of sites.c and returns the contents of its log, which must be the only
        one. settings: variables to add."""
        self.start(self.path, *arguments, **settings)
        (log,) = self.logs()
        return self.read(log)

    def read(self, log: Path) -> Outcome:
        """Returns the contents of a log."""
        outcome = Outcome()
        for row in read_rows(self.parser, log):
            counters = outcome.rows.setdefault(row.module, {}).setdefault(row.name, {})
            value = float(row.text) if "_F_" in row.counter else int(row.text)
            counters[row.counter.removeprefix(f"{row.module}_")] = value
        self.sort(outcome)
        return outcome

    def sort(self, outcome: Outcome) -> None:
        """Adds the records of SITES to the outcome: sites, calls without a site, or objects,
        according to their kind."""
        rows = outcome.rows.get("SITES", {})
        known = symbols(str(self.path))
        for name, row in rows.items():
            if row["KIND"] == 1:
                word, short, whole, path = name.split(" ", 3)
                assert word == "object"
                outcome.objects[short] = (whole, path)
            elif row["KIND"] == 2:
                assert ";" not in name
                outcome.others[name] = row
        for name, row in rows.items():
            if row["KIND"] == 0:
                outcome.sites.append(Site(name, self.functions(name, outcome, known), row))

    def functions(
        self, name: str, outcome: Outcome, known: list[tuple[int, int, str]]
    ) -> list[str]:
        """Returns the functions of a site's frames, innermost first, and checks that each object in
        the name has a record. known: start, end and name of each function of sites.c."""
        found = []
        for element in name.split(";")[1:]:
            if element in ("?", "..."):
                continue
            if ":" in element:  # a line of Python
                found.append(element.rsplit(":", 1)[1])
                continue
            short, _, offset = element.rpartition("+")
            path = outcome.objects[short][1]
            at = int(offset, 16) - 1
            ours = Path(path) == self.path.resolve()
            matches = [function for start, end, function in known if start <= at < end]
            found.append(matches[0] if ours and matches else "?")
        return found
