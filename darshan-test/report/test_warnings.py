"""Reports of journals, and of logs that are damaged, partial or have overflow records, begin with a
warning, in every form."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import lab.environment as lab
import pytest
from lab.command import finished
from lab.environment import plain
from place import needs
from tree import real_log_paths

from .conftest import INCOMPLETE, Run
from .pages import text_of

KILLED = "for i in 1 2 3 4; do echo $i > f$i; done; kill -9 $$"
MANY = "i=0; while [ $i -lt 1500 ]; do : > f$i; i=$((i + 1)); done"


def run(build: Path, folder: Path, script: str, **settings: str) -> None:
    """Runs a shell script with the runtime; its log is log.darshan in the folder. settings:
    variables to add."""
    own = {"DARSHAN_JOB_TREE": "0", "DARSHAN_LOGFILE": str(folder / "log.darshan"), **settings}
    env = plain() | lab.settings(build, journals=folder, **own)
    work = folder / "work"
    work.mkdir()
    subprocess.run(["sh", "-c", script], cwd=work, env=env, check=False)


def live(build: Path, folder: Path) -> Path:
    """Returns the path of the journal of a program that was killed."""
    run(build, folder, KILLED)
    return max((p for p in folder.iterdir() if p.is_file()), key=lambda p: p.stat().st_size)


def overflowing(build: Path, folder: Path) -> Path:
    """Returns the log of a program that uses 1,500 files, with a limit of 100 POSIX records."""
    (folder / "config").write_text("MAX_RECORDS 100 POSIX\n")
    run(build, folder, MANY, DARSHAN_CONFIG_PATH=str(folder / "config"))
    return folder / "log.darshan"


def overflowing_run(build: Path, folder: Path) -> Path:
    """Returns the log of a run of two programs that each use 1,500 files, with a limit of 100 POSIX
    records each."""
    (folder / "config").write_text("MAX_RECORDS 100 POSIX\n")
    run(build, folder, f"sh -c '{MANY}'; grep -rq 5 .; true", DARSHAN_JOB_TREE="1",
        DARSHAN_CONFIG_PATH=str(folder / "config"))  # fmt: skip
    return folder / "log.darshan"


def real(name: str) -> Path:
    """Returns a real log by its name."""
    needs("real-logs")
    return next(p for p in real_log_paths() if p.name.startswith(name))


def partial(_build: Path, _folder: Path) -> Path:
    """Returns a real log with the partial flag: its program used more files than the runtime had
    records."""
    return real("partial_data_stdio")


def damaged(build: Path, folder: Path) -> Path:
    """Returns a real log whose STDIO records begin with overwritten bytes."""
    log = real("partial_data_stdio")
    lines = finished([build / "darshan-parser", log]).stdout
    stored = int(re.findall(r"^# STDIO module: (\d+) bytes", lines, re.M)[0])
    data = bytearray(log.read_bytes())
    data[-stored : -stored + 64] = b"\xee" * 64
    (folder / "damaged.darshan").write_bytes(data)
    return folder / "damaged.darshan"


# For each log, words of its warning.
CASES = {
    live: "the journal of a program that is still running or was killed",
    overflowing: "Totals are exact",
    overflowing_run: "files share records named by their folder and ending",
    partial: "The records of module STDIO are incomplete",
    damaged: "The records of module STDIO are damaged and were skipped",
}


def before(text: str, words: str, *later: str) -> None:
    """Checks that the warning ("Caution: ") contains `words`, and that it comes before each of
    `later` in the text; at least one of them must be there."""
    flat = " ".join(text.split())
    found = re.search(r"Caution: ", flat)
    assert found and words in flat[found.start() :]
    places = [flat.index(w) for w in later if w in flat]
    assert places and flat.index(words) < min(places)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_said_first(make: object, build: Path, summary: Run, tmp_path: Path) -> None:
    """In PDF, web page, text, JSON and CSV, the warning precedes the report's contents."""
    assert callable(make)
    folder = tmp_path / "made"
    folder.mkdir()
    log, words = make(build, folder), CASES[make]
    for form in ("pdf", "html", "txt", "json", "csv"):
        done = summary(log, "-o", f"out.{form}")
        assert done.returncode in (0, INCOMPLETE), done.stderr
    before(text_of(tmp_path / "out.pdf"), words, "What to change first")
    html = (tmp_path / "out.html").read_text()
    before(html, words, '<div class="change', '<div class="picture"')
    before((tmp_path / "out.txt").read_text(), words, " 1. ", "went into file I/O")
    data = json.loads((tmp_path / "out.json").read_text())
    assert any(words in warning for warning in data["warnings"])
    assert list(data).index("warnings") < list(data).index("findings")
    rows = csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text()))
    paths = {row["path"]: row["value"] for row in rows}
    assert words in paths["/warnings/0"] + paths.get("/warnings/1", "")
