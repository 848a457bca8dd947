"""darshan-mk-log-dirs makes the folders of days, and does not change existing ones."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path


def called(build: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [str(x) for x in (build / "darshan-mk-log-dirs", *arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, umask=0o077)


def test_two_years(build: Path, tmp_path: Path) -> None:
    """Names of months and days have no leading zeros; day folders are sticky and writable for
    all, the folders above are not."""
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
    """A missing folder, a missing name and invalid options have one line each."""
    for status, arguments in (
        (2, []),
        (1, [tmp_path / "none"]),
        (2, ["--years", "x", tmp_path]),
        (2, ["--what"]),
        (2, [tmp_path, tmp_path]),
        (2, ["--years=0", tmp_path]),
        (2, ["--mode=9", tmp_path]),
    ):
        done = called(build, *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)
    assert not list(tmp_path.iterdir())


def test_folders_that_cannot_be_made(build: Path, tmp_path: Path) -> None:
    """If a file is in the way, one line names it."""
    year = datetime.datetime.now().year
    (tmp_path / str(year)).write_text("")
    done = called(build, "--years=1", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"{tmp_path}/{year}/1: " in done.stderr
