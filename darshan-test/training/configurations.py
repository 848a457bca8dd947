"""Runs trainings with PyTorch in many configurations, and compares each report with the times that
the program itself measured. `python3 -m training.configurations BUILD [PYTHON]`, in darshan-test,
prints the table of doc/training.md."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.environment import plain

HERE = Path(__file__).resolve().parent
# Debian's Python, which has Debian's PyTorch.
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's PyTorch
# Time limit of a program.
SECONDS = 600
EPOCHS = 3

# Parts of a name: dataset-workers-prefetch-persistence-load; loads.py says what each means.
CONFIGURATIONS = (
    "map-w0-p0-new-slow",
    "map-w0-p0-new-decoding",
    "map-w0-p0-new-steps",
    "shuffled-w0-p0-new-slow",
    "stream-w0-p0-new-slow",
    *(
        f"map-w{workers}-p{prefetch}-{persistent}-slow"
        for workers in (1, 2, 4, 8)
        for prefetch in (2, 8)
        for persistent in ("new", "kept")
    ),
    "map-w2-p2-kept-steps",
    "map-w2-p2-kept-decoding",
    "pinned-w2-p2-kept-slow",
    "shuffled-w2-p2-kept-slow",
    "stream-w2-p2-kept-slow",
)


def usable(python: str) -> list[str]:
    """Returns the configurations that this Python can run: without a GPU, only Debian's PyTorch can
    be made to start its thread for pinned memory."""
    return [name for name in CONFIGURATIONS if python == PYTHON or "pinned" not in name]


@dataclass(frozen=True)
class Compared:
    """A configuration of a training: its name, the times of each epoch that the program measured,
    and the entry of the report about it."""

    name: str
    told: list[
        dict[str, float]
    ]  # by the program for each epoch: "wait" and "whole" in seconds, ...
    recorded: dict[str, Any]  # an entry of "training" in the report

    @staticmethod
    def share(wait: float, whole: float) -> float:
        """Returns the waiting time in percent of the whole time; both are in seconds."""
        return 100 * wait / whole

    @property
    def own(self) -> float:
        """The waiting time that the program measured, in percent of the time of all its epochs."""
        return self.share(sum(e["wait"] for e in self.told), sum(e["whole"] for e in self.told))

    @property
    def reported(self) -> float:
        """The waiting time in the report, in percent of the time of all epochs."""
        return self.share(self.recorded["all"]["wait_seconds"], self.recorded["all"]["seconds"])


def report_of(build: Path, folder: Path, *command: str | Path) -> tuple[str, list[dict[str, Any]]]:
    """Runs a program by `darshan run` in a folder, and makes the report of its log. Returns the
    program's output, and the entries of the report's JSON field "training", one for each loop over
    a DataLoader."""
    done = subprocess.run(
        [build / "darshan", "run", *command],
        cwd=folder,
        env=plain(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    (log,) = (folder / "darshan-logs").glob("*.darshan")
    report = subprocess.run(
        [build / "darshan", "report", "--json", "-o", "-", log],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    training: list[dict[str, Any]] = json.loads(report.stdout)["training"]
    return done.stdout, training


def measured(
    build: Path, folder: Path, names: Sequence[str], python: str = PYTHON
) -> list[Compared]:
    """Runs these configurations, all in one program, and reads its report. Returns one comparison
    for each name. python: the Python to use."""
    output, entries = report_of(build, folder, python, "-B", HERE / "loads.py", *names)
    training = {Path(entry["line"]["file"]).stem: entry for entry in entries}
    told = json.loads(output.splitlines()[-1])
    assert sorted(told) == sorted(training) == sorted(names), [entry["line"] for entry in entries]
    return [Compared(name, told[name], training[name]) for name in names]


def table(rows: Sequence[Compared]) -> list[str]:
    """Returns the lines of the Markdown table with its heading, one row for each comparison."""
    found = [
        "| dataset | workers | prefetch | workers stay | load | batches | own clock | report | "
        "difference | what is behind it |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        dataset, workers, prefetch, persistent, load = row.name.split("-")
        ahead = "-" if workers == "w0" else prefetch[1:]
        found.append(
            f"| {dataset} | {workers[1:]} | {ahead} | {'yes' if persistent == 'kept' else 'no'} | "
            f"{load} | {row.recorded['all']['batches']} | {row.own:.1f} % | "
            f"{row.reported:.1f} % | {row.reported - row.own:+.2f} | {row.recorded['why']} |"
        )
    return found


def main() -> None:
    """Prints the table of all configurations. The command line: the build folder, and optionally a
    Python."""
    build, python = Path(sys.argv[1]).resolve(), (*sys.argv[2:], PYTHON)[0]
    rows = []
    for name in usable(python):  # each in a run of its own, because waits are judged by the run
        with tempfile.TemporaryDirectory(prefix="darshan-training-") as folder:
            rows += measured(build, Path(folder), [name], python)
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
