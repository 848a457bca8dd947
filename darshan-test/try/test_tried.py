"""`darshan try` stores the results of a trial next to the log, and reports on the log show them."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from darshan_report.lake import open as open_lake
from darshan_report.lake.serve.job import render
from darshan_report.lake.serve.request import Wanted
from lab.compile import compile_c

from .conftest import Try
from .programs import ENDS, FLUSHED, writes

# Beginning of the result in a report.
SAID = "tried: flush-delay: "


@pytest.fixture
def log(trial: Try) -> Path:
    """Makes and returns a log with the finding that suggests flush-delay."""
    program = compile_c(trial.user, writes(ENDS["closes"], FLUSHED))
    return trial.log(program, clean=True)


def report(trial: Try, log: Path, form: str) -> str:
    """Returns the report on a log as text. form: an option of `darshan report`, such as --json."""
    words = [str(trial.build / "darshan"), "report", form, "-o", "-", str(log)]
    done = trial.run_words(words)
    assert done.returncode == 0, done
    return done.stdout


def test_every_report_tells_it(trial: Try, log: Path) -> None:
    """After a trial with a log, each form of report and `darshan stat` have the result next to the
    finding. A later trial of another remedy does not remove it."""
    copy = ("--copy", ".", log, "--", trial.user / "program")
    status, rows, whole = trial.found("--only", "flush-delay", *copy)
    assert (status, rows["flush-delay"]["finding"]) == (0, "stream-flushes"), whole
    trial.run("--only", "tmpdir", *copy)
    row = rows["flush-delay"]
    gained = f"{row['ratio']:.3g} x faster (at least {row['low']:.3g} x)"
    for form in ("--text", "--html"):
        said = " ".join(report(trial, log, form).split())
        assert f" flush-delay: {gained}, same output. To keep it: " in said, form
        assert "no fflush(stream) after each line" in said, form
    told = json.loads(report(trial, log, "--json"))
    findings = {f["name"]: f for f in told["findings"]}
    (tried,) = findings["stream-flushes"]["tried"]
    assert tried["ratio"] == pytest.approx(row["ratio"]) and tried["keep"] == row["keep"]
    screen = trial.run_words([str(trial.build / "darshan"), "stat", "-r", str(log)])
    assert f"{SAID}{gained}" in screen.stderr, screen
    collected(trial, log, row)


def collected(trial: Try, log: Path, tried: dict[str, Any]) -> None:
    """Collects the log into a lake. Checks that the lake has the result of the trial, and shows it
    on the job's page. tried: the result in the trial's JSON."""
    trial.variables["DARSHAN_PYTHON"] = sys.executable
    lake = trial.user.parent / "lake"
    for words in (["collect", "--into", lake, log], ["ask", lake, "trials", "--json"]):
        done = trial.run_words([str(trial.build / "darshan"), *map(str, words)])
        assert done.returncode == 0, done
    (row,) = (r for r in json.loads(done.stdout) if r["rule"])
    assert (row["program"], row["remedy"], row["helped"]) == ("program", "flush-delay", 1)
    assert row["rule"] == "stream-flushes" and row["ratio"] == pytest.approx(tried["ratio"])
    with open_lake(lake) as opened:
        page = render(opened, Wanted("", log=hashlib.sha256(log.read_bytes()).hexdigest()[:32]))
    assert f"Tried: flush-delay: {tried['ratio']:.3g} x faster" in page


@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_of_the_user_stays(trial: Try, log: Path, is_link: bool) -> None:
    """The result of a trial is stored as LOG.tried.json. It replaces an earlier result, but no
    other file of that name, nor the target of a link. A trial of another program stores nothing for
    this log."""
    notes, path = trial.user.parent / "notes", log.with_suffix(".tried.json")
    notes.write_text("notes")
    if is_link:
        path.symlink_to(notes)
    else:
        path.write_text("notes")
    only = ("--only", "flush-delay", "--budget", "3", "--copy", ".", log, "--")
    done = trial.run(*only, trial.user / "program")
    assert "the file is not a result of darshan try" in done.stderr, done
    assert path.read_text() == notes.read_text() == "notes" and path.is_symlink() == is_link
    if is_link:
        return
    path.unlink()
    done = trial.run(*only, "sh", "-c", "exit")
    assert "the result is not stored" in done.stderr, done
    assert not path.exists()


@pytest.mark.parametrize("damage", ["of another log", "cut off", "other types", "none"])
def test_a_file_that_is_not_ours(trial: Try, log: Path, damage: str) -> None:
    """A report ignores a stored result that is damaged or belongs to another log, and prints no
    error."""
    from darshan_report.log import open_log  # noqa: PLC0415
    from darshan_report.report.tried import identity, path_of  # noqa: PLC0415

    with open_log(log) as opened:
        whole = {
            "format": "darshan-try", "version": 1, "log": identity(opened),
            "remedies": [{"remedy": "flush-delay", "finding": "stream-flushes", "result": "helped",
                          "ratio": 3.0, "low": 2.0, "keep": ["text\x1b[1m"]}],
        }  # fmt: skip
    if damage == "of another log":
        whole["log"] = "1 2.000"
    if damage == "other types":
        whole["remedies"] = ["text", {"finding": [], "result": {}}, 7]
    text = json.dumps(whole)
    path = Path(path_of(str(log)))
    path.write_text(text[: len(text) // 2] if damage == "cut off" else text)
    said = report(trial, log, "--text")
    assert (SAID in said) == (damage == "none")
    assert "\x1b" not in said
