"""The screen of `darshan stat -r` has the numbers that darshan-parser prints, for every log."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.log import RefusedError, Row
from sample import turning

from .conftest import Run
from .screen import fits, layers

# Reads the rows of a log; see the fixture rows.
Rows = Callable[[Path], list[Row]]
# Counters of calls to read and write.
CALLS = re.compile(r"^[A-Z0-9_]+?_(INDEP_|COLL_|SPLIT_|NB_)?(READS|WRITES)$")
# Counters that match CALLS but count only calls of some kind, for example sequential ones.
PROPERTIES = re.compile(r"(SEQ|CONSEC)_(READS|WRITES)$")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Returns the paths of the generated logs, valid and damaged ones."""
    folder = tmp_path_factory.mktemp("corpus")
    top = Path(__file__).resolve().parent.parent
    subprocess.run([sys.executable, "-m", "logs", folder], cwd=top, check=True, capture_output=True)
    return sorted(folder.iterdir())


def says(column: str, value: int) -> bool:
    """Returns whether a column of the screen shows this number. With a unit the column is rounded,
    otherwise exact."""
    unit = {"M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}.get(column[-1])
    if unit is None:
        return int(column) == value
    return abs(int(column[:-1]) * unit - value) * 2 <= unit


def calls_of(rows: list[Row], module: str, kind: str) -> int:
    """Returns the sum of the calls of a kind over all records of a module. kind: the end of the
    counter's name, "READS" or "WRITES"."""
    return sum(
        max(0, int(row.text))
        for row in rows
        if row.module == module
        and row.counter.endswith(kind)
        and CALLS.match(row.counter)
        and not PROPERTIES.search(row.counter)
    )


def test_counts_are_those_of_the_parser(darshan: Run, corpus: list[Path], rows: Rows) -> None:
    """For generated logs, numbers of files, reads and writes of each layer on the screen equal the
    sums of darshan-parser's rows."""
    compared = 0
    # The log with all modules fills the screen.
    fullest = [log for log in corpus if log.name.startswith("good-annex-all")]
    assert fullest
    for log in [*fullest, *turning(corpus, 0.1, "screens")]:
        done = darshan("stat", "-r", log)
        screen = done.stderr.decode()
        fits(screen)
        if done.returncode != 0 or "left out" in screen or screen.startswith("darshan: /"):
            continue
        try:
            expected = rows(log)
        except RefusedError:
            continue
        # A record of a group stands for as many files as it says.
        grouped = any(row.module == "GROUP" for row in expected)
        for module, columns in layers(screen).items():
            ids = {row.record for row in expected if row.module == module}
            assert grouped or int(columns[0]) == len(ids), log.name
            for place, kind in ((1, "READS"), (2, "WRITES")):
                calls = calls_of(expected, module, kind)
                if calls < 1 << 63:
                    assert says(columns[place], calls), log.name
                    compared += 1
    assert compared > 4


def test_screens_fit_for_real_logs(darshan: Run, real_logs: list[Path]) -> None:
    """For logs of real programs, the command succeeds, and the screen fits into 24 lines of 80
    columns."""
    for log in turning(real_logs, 0.15, "screens of real logs"):
        done = darshan("stat", "-r", log)
        assert done.returncode == 0, done.stderr
        fits(done.stderr.decode())


def test_damaged_log(darshan: Run, work: Path) -> None:
    """For a file that is no log, one line on standard error names it, and the exit status is 1."""
    (work / "text").write_text("no log")
    done = darshan("stat", "-r", "text")
    assert done.returncode == 1
    assert done.stderr.startswith(b"darshan: text: ")
    assert done.stderr.count(b"\n") == 1
