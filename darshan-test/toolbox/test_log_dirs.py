"""darshan-mk-log-dirs makes a log folder for each day of some years, and does not change existing
ones."""

from __future__ import annotations

import datetime
import os
import subprocess
from pathlib import Path

import pytest


def called(
    build: Path, *arguments: object, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs the command with a restrictive umask. cwd: the current folder; None for that of the
    tests. variables: of the environment. Returns its output and exit status."""
    words = [str(x) for x in (build / "darshan-mk-log-dirs", *arguments)]
    kept = {name: value for name, value in os.environ.items() if name != "DARSHAN_CONFIG_PATH"}
    return subprocess.run(
        words, capture_output=True, text=True, check=False, umask=0o077, cwd=cwd,
        env=kept | variables,
    )  # fmt: skip


def days(folder: Path) -> int:
    """Returns the number of days' folders in a folder for logs."""
    return sum(1 for _ in folder.glob("*/*/*"))


def test_two_years(build: Path, tmp_path: Path) -> None:
    """darshan-mk-log-dirs names months and days without leading zeros. All users can write to the
    folders of days, which are sticky, but not to those above."""
    folder = tmp_path / "-the logs"
    folder.mkdir()
    year = datetime.datetime.now().year
    mine = folder / str(year) / "3" / "4"
    mine.mkdir(parents=True)
    mine.chmod(0o700)
    done = called(build, "--", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {int(x.name) - year for x in folder.iterdir()} <= {0, 1, 2}  # at midnight of a year
    assert len(list(folder.iterdir())) == 2
    for top in folder.iterdir():
        assert {x.name for x in top.iterdir()} == {str(m) for m in range(1, 13)}
        for month in top.iterdir():
            assert {x.name for x in month.iterdir()} == {str(d) for d in range(1, 32)}
    day = folder / str(year + 1) / "12" / "31"
    assert day.stat().st_mode & 0o7777 == 0o1777
    assert day.parent.stat().st_mode & 0o7777 == 0o755
    assert mine.stat().st_mode & 0o7777 == 0o700
    assert called(build, "--years", 1, "--mode", 3775, folder).returncode == 0


def test_wrong_uses(build: Path, tmp_path: Path) -> None:
    """For a missing folder or name, or an invalid option, darshan-mk-log-dirs prints one line and
    makes nothing. The status is 2 for a usage error, otherwise 1."""
    for status, arguments in (
        (2, []),
        (1, [tmp_path / "none" / "logs"]),
        (2, ["--years", "x", tmp_path]),
        (2, ["--what"]),
        (2, [tmp_path, tmp_path]),
        (2, ["--years=0", tmp_path]),
        (2, ["--years=1000", tmp_path]),
        (2, ["--mode=9", tmp_path]),
        (2, ["--mode=17777", tmp_path]),
        (2, [""]),
        (2, ["--", ""]),
    ):
        done = called(build, *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)
    assert not list(tmp_path.iterdir())


def test_the_folder_itself(build: Path, tmp_path: Path) -> None:
    """darshan-mk-log-dirs makes the log folder itself, too; a second call changes nothing."""
    folder = tmp_path / "logs"
    for _ in range(2):
        done = called(build, "--years", "08", folder, "--mode=01775")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert folder.stat().st_mode & 0o7777 == 0o755
        assert days(folder) == 8 * 12 * 31
    assert {x.stat().st_mode & 0o7777 for x in folder.glob("*/*/*")} == {0o1775}


@pytest.mark.parametrize("name", ["logs", "-"])
def test_relative_names(name: str, build: Path, tmp_path: Path) -> None:
    """darshan-mk-log-dirs uses a relative folder as given: neither CDPATH nor the meaning of "-"
    for cd leads to another one."""
    other, here = tmp_path / "other", tmp_path / "here"
    for folder in (other / "logs", here / "logs"):
        folder.mkdir(parents=True)
    variables = {"CDPATH": str(other), "OLDPWD": str(other)}
    done = called(build, "--years=1", "--", name, cwd=here, **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert days(here / name) == 12 * 31
    assert [x.name for x in other.rglob("*")] == ["logs"]


def test_folder_of_the_configuration(build: Path, tmp_path: Path) -> None:
    """Without an argument, darshan-mk-log-dirs uses the last LOGPATH of the runtime's configuration
    file."""
    file = tmp_path / "darshan.conf"
    logs = tmp_path / "logs"
    file.write_text(f"#LOGPATH /no\nLOGPATH {tmp_path}/first\nMODMEM 4\n  LOGPATH\t{logs} \r")
    settings = {"DARSHAN_CONFIG_PATH": str(file)}
    done = called(build, "--years=1", **settings)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert days(logs) == 12 * 31 and not (tmp_path / "first").exists()
    file.write_text("MODMEM 4\n")
    assert called(build, **settings).returncode == 2  # the tests' build has no log folder
    file.unlink()
    done = called(build, **settings)
    assert done.returncode == 1
    assert done.stderr == (
        f"darshan-mk-log-dirs: cannot read {file}, which DARSHAN_CONFIG_PATH names: "
        "No such file or directory\n"
    )


@pytest.mark.parametrize("where", ["", "3", "3/4"])
def test_folders_that_cannot_be_made(where: str, build: Path, tmp_path: Path) -> None:
    """If a file has the name of a folder that darshan-mk-log-dirs has to make, a message of one
    line names this folder and the reason."""
    year = datetime.datetime.now().year
    blocked = tmp_path / str(year) / where
    blocked.parent.mkdir(exist_ok=True, parents=True)
    blocked.write_text("")
    done = called(build, "--years=1", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"darshan-mk-log-dirs: cannot make {blocked}"), done.stderr
    assert done.stderr.endswith((": Not a directory\n", ": File exists\n"))


def test_a_missing_parent(build: Path, tmp_path: Path) -> None:
    """darshan-mk-log-dirs does not make the parent of the log folder, because it may be a file
    system that is not mounted; it exits with a message."""
    done = called(build, tmp_path / "none" / "logs")
    assert done.stderr == (
        f"darshan-mk-log-dirs: cannot make {tmp_path}/none/logs: No such file or directory\n"
    )
