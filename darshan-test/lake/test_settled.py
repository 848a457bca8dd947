"""`darshan collect` does not list a folder again if all of its logs are collected and nothing
changed in it since."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from darshan_report.lake.commands import arguments
from darshan_report.lake.commands.collect import Collector
from darshan_report.lake.read import files, settled

from .rows import make_logs, rows, whole

LOGS = 8  # folders with fewer logs are listed in each run
Look = Callable[..., list[str]]


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Returns a function that collects the folder "logs" with further options, and returns the
    folders that the command listed, relative to tmp_path. A folder counts as quiet immediately
    after a change."""
    monkeypatch.setattr(settled, "QUIET", 0)
    listed: list[str] = []
    below_one = files._below_one

    def noted(folder: str, folders: list[str], trials: object) -> object:
        listed.append(os.path.relpath(folder, tmp_path))
        return below_one(folder, folders, trials)

    monkeypatch.setattr(files, "_below_one", noted)

    def run(*more: str) -> list[str]:
        listed.clear()
        command = ["--into", str(tmp_path / "lake"), "--workers", "1", "--no-findings", *more]
        options = arguments.collect([*command, str(tmp_path / "logs")])
        options.mode = 0o640
        assert Collector(options, None).run() == 0
        return sorted(set(listed))

    return run


def test_settled_folders(look: Look, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder is listed until a run finds all of its logs in the lake, and again after it changes.
    A folder with fewer than LOGS logs is listed in each run."""
    one = make_logs(tmp_path / "logs" / "1", LOGS)
    two = make_logs(tmp_path / "logs" / "2", LOGS, first=100)
    few = make_logs(tmp_path / "logs" / "3", LOGS - 1, first=200)
    every = ["logs", "logs/1", "logs/2", "logs/3"]
    assert look() == every
    assert look() == every  # with the logs of which the lake had none before
    assert look() == ["logs", "logs/3"]
    whole(tmp_path / "lake", one + two + few)
    assert f"{3 * LOGS - 1} already collected" in capsys.readouterr().err
    more = make_logs(tmp_path / "logs" / "2", 1, first=300)
    assert look() == ["logs", "logs/2", "logs/3"]
    whole(tmp_path / "lake", one + two + few + more)
    assert look() == ["logs", "logs/2", "logs/3"] and look() == ["logs", "logs/3"]
    (tmp_path / "lake" / "_folders").write_bytes(b"no folders")
    assert look() == every and look() == ["logs", "logs/3"]


def test_a_time_that_was_set_back(look: Look, tmp_path: Path) -> None:
    """A folder that got a new log is listed, even if its modification time was then set back."""
    made = make_logs(tmp_path / "logs" / "1", LOGS)
    before = os.stat(tmp_path / "logs" / "1")
    look(), look()
    assert look() == ["logs"]
    more = make_logs(tmp_path / "logs" / "1", 1, first=50)
    os.utime(tmp_path / "logs" / "1", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert look() == ["logs", "logs/1"]
    whole(tmp_path / "lake", made + more)


def test_a_folder_is_listed_after_some_days(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that was overwritten in place, which does not change its folder, is collected some days
    later, when the folder is listed anyway."""
    made = make_logs(tmp_path / "logs" / "1", LOGS)
    look(), look()
    shutil.copyfile(make_logs(tmp_path, 1, first=70)[0], made[0])
    assert look() == ["logs"]
    later = time.time() + 7 * 86_400
    monkeypatch.setattr(settled.time, "time", lambda: later)
    assert look() == ["logs", "logs/1"]
    whole(tmp_path / "lake", made)


def test_logs_that_are_not_collected(look: Look, tmp_path: Path) -> None:
    """A folder with a log that could not be read is listed in each run; with --remove-collected,
    every folder is."""
    make_logs(tmp_path / "logs" / "1", LOGS)
    made = make_logs(tmp_path / "logs" / "2", LOGS, first=100)
    os.mkfifo(tmp_path / "logs" / "1" / "pipe.darshan")
    look(), look()
    assert look() == ["logs", "logs/1"]
    assert len(rows(tmp_path / "lake", "problems")) == 1
    assert look("--remove-collected") == ["logs", "logs/1", "logs/2"]
    assert not any(path.exists() for path in made)


def test_recent_folders(look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that changed less than a day ago is listed in each run."""
    monkeypatch.setattr(settled, "QUIET", 86_400)
    make_logs(tmp_path / "logs" / "1", LOGS)
    assert look() == look() == look() == ["logs", "logs/1"]
