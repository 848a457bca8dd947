"""`darshan stat`: a screenful that agrees with the parser, whatever the log."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

Rows = Callable[[Path], list[list[str]]]
LINES, COLUMNS = 24, 80
# Kinds of calls: SEQ_READS and CONSEC_READS are properties of calls.
CALLS = re.compile(r"^[A-Z0-9_]+?_(INDEP_|COLL_|SPLIT_|NB_)?(READS|WRITES)$")
PROPERTIES = re.compile(r"(SEQ|CONSEC)_(READS|WRITES)$")
LAYERS = ("POSIX", "STDIO", "MPI-IO", "H5D", "PNETCDF_VAR")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The generated logs, good and bad."""
    folder = tmp_path_factory.mktemp("corpus")
    top = Path(__file__).resolve().parent.parent
    subprocess.run([sys.executable, "-m", "logs", folder], cwd=top, check=True, capture_output=True)
    return sorted(folder.iterdir())


def fits(screen: str) -> None:
    """At most 24 lines of 80 columns, and nothing that steers a terminal."""
    lines = screen.splitlines()
    assert len(lines) <= LINES
    for line in lines:
        assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in line), line
        if not line.startswith("darshan: "):  # the last line may hold a long path
            assert len(line) <= COLUMNS, line


def layers(screen: str) -> dict[str, list[str]]:
    """Columns of the table of layers: files, reads, writes, ..."""
    found = [line.split() for line in screen.splitlines()]
    return {words[0]: words[1:] for words in found if words and words[0] in LAYERS}


def says(column: str, value: int) -> bool:
    """Whether a column is this number, rounded if it has a unit."""
    unit = {"M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}.get(column[-1])
    if unit is None:
        return int(column) == value
    return abs(int(column[:-1]) * unit - value) * 2 <= unit


def calls_of(rows: list[list[str]], module: str, kind: str) -> int:
    """Sum of the calls of a kind over all rows of a module."""
    return sum(
        max(0, int(row[4]))
        for row in rows
        if row[0] == module
        and row[3].endswith(kind)
        and CALLS.match(row[3])
        and not PROPERTIES.search(row[3])
    )


def test_counts_are_those_of_the_parser(darshan: Run, corpus: list[Path], rows: Rows) -> None:
    compared = 0
    for log in corpus:
        done = darshan("stat", "-r", log)
        screen = done.stderr.decode()
        fits(screen)
        if done.returncode != 0 or "left out" in screen or screen.startswith("darshan: /"):
            continue
        try:
            expected = rows(log)
        except subprocess.CalledProcessError:
            continue
        for module, columns in layers(screen).items():
            ids = {row[2] for row in expected if row[0] == module}
            assert int(columns[0]) == len(ids), log.name
            for place, kind in ((1, "READS"), (2, "WRITES")):
                calls = calls_of(expected, module, kind)
                if calls < 1 << 63:
                    assert says(columns[place], calls), log.name
                    compared += 1
    assert compared > 20


def test_screens_fit_for_real_logs(darshan: Run, real_logs: list[Path]) -> None:
    for log in real_logs:
        done = darshan("stat", "-r", log)
        assert done.returncode == 0, done.stderr
        fits(done.stderr.decode())


def test_program(darshan: Run, work: Path) -> None:
    done = darshan("stat", "dd", "if=/bin/sh", "of=copy", "bs=1000", "status=none")
    screen = done.stderr.decode()
    size = (work / "copy").stat().st_size
    assert done.returncode == 0
    assert layers(screen)["POSIX"][:3] == ["1", "0", str(-(-size // 1000))]
    assert re.search(r"^run time [\d.]+ \w+, 1 process, ", screen, re.M)
    assert re.search(r"^writes of bytes .* 100-1K", screen, re.M)
    assert str(work / "copy")[-30:] in screen
    assert screen.splitlines()[-1].startswith("darshan: log: /")
    fits(screen)


def test_tree_is_added_up(darshan: Run, work: Path) -> None:
    script = "for i in 1 2 3; do dd if=/dev/zero of=f$i bs=100 count=$i status=none; done; exit 4"
    done = darshan("stat", "sh", "-c", script)
    screen = done.stderr.decode()
    logs = len(list((work / "darshan-logs").iterdir()))
    assert done.returncode == 4
    assert logs >= 3
    assert f" in {logs} logs" in screen
    assert layers(screen)["POSIX"][2] == "6"
    fits(screen)


def test_several_logs(darshan: Run, work: Path) -> None:
    for name in ("a", "b"):
        darshan("run", "dd", "if=/bin/sh", f"of={name}", "bs=1M", "status=none")
    logs = sorted((work / "darshan-logs").iterdir())
    done = darshan("stat", "-r", logs[0], "-r", logs[1])
    columns = layers(done.stderr.decode())["POSIX"]
    assert columns[0] == "2"


def test_names_of_strangers(darshan: Run, work: Path) -> None:
    name = b"\033[2J\n\xe2\x80\xae\xc2\x9b\xc3\xa9"
    done = darshan("stat", "dd", "if=/bin/sh", b"of=" + name, "status=none")
    assert (work / name.decode("utf-8", "surrogateescape")).exists()
    screen = done.stderr.decode()
    fits(screen)
    assert "\\x1b[2J\\x0a\\xe2\\x80\\xae\\xc2\\x9b\u00e9" in screen


def test_crash_shows_the_journal(darshan: Run) -> None:
    done = darshan("stat", "sh", "-c", "echo here > file; kill -9 $$")
    screen = done.stderr.decode()
    assert done.returncode == -9
    assert "POSIX" in layers(screen)
    assert "journal: /" in screen


def test_damaged_log(darshan: Run, work: Path) -> None:
    (work / "text").write_text("no log")
    done = darshan("stat", "-r", "text")
    assert done.returncode == 1
    assert done.stderr.startswith(b"darshan: text: ")
    assert done.stderr.count(b"\n") == 1
