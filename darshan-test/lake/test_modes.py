"""The files of a lake have modes that let only the intended users read them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report.lake.commit import modes, storage

from .conftest import Run
from .rows import make_logs, whole


def _modes(lake: Path) -> tuple[set[int], set[int]]:
    """Returns the modes of all files and of all folders of a lake."""
    files, folders = set(), {stat.S_IMODE(lake.stat().st_mode)}
    for path in lake.rglob("*"):
        (folders if path.is_dir() else files).add(stat.S_IMODE(path.lstat().st_mode))
    return files, folders


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Sets umask 022 during each test, with which all users could read the lake's files if the lake
    set no modes."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_others_cannot_read_a_lake(darshan: Run, tmp_path: Path) -> None:
    """Without --mode, the files of a lake have the mode 0640 and its folders 0750, whichever
    command creates them."""
    made = make_logs(tmp_path / "logs", 70)
    lake = tmp_path / "lake"
    commands = (
        ["collect", "--into", "lake", "--workers", "2", "--no-findings", "logs"],
        ["lake", "prune", "--user", "user1", "lake"],
        ["lake", "compact", "--grace", "1h", "lake"],
    )
    for command in commands:
        assert darshan(*command).returncode == 0
        assert _modes(lake) == ({0o640}, {0o750}), command
    whole(lake, [path for path in made if not path.name.startswith("user1_")])
    assert "mode 0640" in darshan("lake", "info", "lake").stdout


def test_the_mode_is_chosen(darshan: Run, tmp_path: Path) -> None:
    """--mode is stored for later commands, and changes the files of an existing lake; folders keep
    the set-group-id bit."""
    made = make_logs(tmp_path / "logs", 3)
    lake = tmp_path / "lake"
    lake.mkdir()
    lake.chmod(0o2755)
    collect = ["collect", "--into", "lake", "--workers", "1", "--no-findings"]
    assert darshan(*collect, "--mode", "664", made[0]).returncode == 0
    assert darshan(*collect, made[1]).returncode == 0
    assert _modes(lake) == ({0o664}, {0o2755, 0o2775})
    assert darshan(*collect, "--mode", "0600", made[2]).returncode == 0
    assert _modes(lake) == ({0o600}, {0o2700})
    whole(lake, made)
    for bad in ("755", "0777", "0440", "rw"):
        assert darshan(*collect, "--mode", bad, made[0]).returncode == 2


def test_a_lake_of_before_keeps_its_modes(darshan: Run, tmp_path: Path) -> None:
    """In a lake of an earlier release, which has no mode, new files have modes by the umask, and a
    message says how to set one."""
    made = make_logs(tmp_path / "logs", 2)
    lake = tmp_path / "lake"
    collect = ["collect", "--into", "lake", "--workers", "1", "--no-findings"]
    assert darshan(*collect, "--mode", "0644", made[0]).returncode == 0
    said = json.loads((lake / "_lake.json").read_text())
    del said["mode"]
    (lake / "_lake.json").write_text(json.dumps(said))
    done = darshan(*collect, made[1])
    assert done.returncode == 0 and "use --mode 0640" in done.stderr
    assert _modes(lake) == ({0o644}, {0o755})
    done = darshan(*collect, "--mode", "0640", "logs")
    assert done.returncode == 0 and "use --mode" not in done.stderr
    assert _modes(lake) == ({0o640}, {0o750})
    whole(lake, made)


def test_files_of_another_machine(tmp_path: Path) -> None:
    """A worker on another machine may have another umask: the collector gives the files that it
    made the lake's mode."""
    path = tmp_path / "file"
    path.touch(0o600)
    modes.give(str(path), 0o640)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    storage.make(str(tmp_path / "lake"), {"mode": "0660"})
    assert modes.of_lake(str(tmp_path / "lake")) == 0o660
