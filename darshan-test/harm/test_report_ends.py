"""How `darshan report` exits if it fails, or if a signal ends it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compare import both

SECONDS = 60
# The beginning of a pdflatex that writes its pid to the file "started".
ENGINE = "#!/bin/sh\necho $$ >'{folder}/started-t'\nmv '{folder}/started-t' '{folder}/started'\n"
SLEEP = "exec sleep 1000\n"


@pytest.fixture
def log(build: Path, tmp_path: Path) -> Path:
    """Returns a small log of a Python program that writes a file."""
    folder = tmp_path / "run"
    folder.mkdir()
    script = tmp_path / "script"
    script.write_text("open('data', 'w').write('x')\n")
    _, watched = both(build, folder, [sys.executable, "-S", script])
    (path,) = watched.logs
    return path


def report(
    build: Path, folder: Path, *arguments: str | Path, **more: str
) -> tuple[int, bytes, bytes]:
    """Runs `darshan report` in a folder. more: further variables. Returns its exit status, output
    and messages."""
    done = finished_in_bytes(
        [build / "darshan", "report", *arguments],
        cwd=folder,
        env={**os.environ, **more},
        timeout=SECONDS,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("way", [["--no-latex"], [], ["--html"]])
def test_a_limit_of_file_size(way: list[str], build: Path, log: Path, tmp_path: Path) -> None:
    """If a limit of file size stops the report, one line says so, and no file is left. way: options
    of the report."""
    limited = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", str(build / "darshan"), "report"]
    done = finished_in_bytes([*limited, *way, "-o", "out", log], cwd=tmp_path, timeout=SECONDS)
    last = done.stderr.decode().splitlines()[-1]  # the lines before may report missing LaTeX
    assert (done.returncode, last) == (1, "darshan report: cannot write out: File too large")
    assert b"Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_the_name_in_the_message(build: Path, log: Path, tmp_path: Path) -> None:
    """Messages name the file that cannot be read or written, also one called "empty"."""
    (tmp_path / "empty").write_bytes(b"")
    status, _, said = report(build, tmp_path, "--text", "empty")
    assert (status, said) == (1, b"darshan report: empty: is empty\n")
    keep = ("--no-latex", "--keep", "empty", "-o", "out", log)
    status, _, said = report(build, tmp_path, *keep)
    assert (status, said) == (1, b"darshan report: cannot write empty: File exists\n")


def test_without_a_path(build: Path, log: Path, tmp_path: Path) -> None:
    """The report works if PATH has no programs."""
    expected = report(build, tmp_path, "--text", log)
    assert expected[0] == 0 and expected[1]
    assert report(build, tmp_path, "--text", log, PATH="") == expected
    assert report(build, tmp_path, "--text", log, PATH="/nonexistent") == expected


def alive(pid: int) -> bool:
    """Returns whether a process runs: it exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("group", [True, False])
def test_a_signal(number: int, group: bool, build: Path, log: Path, tmp_path: Path) -> None:
    """If SIGINT, SIGTERM or SIGHUP arrives while LaTeX runs, the report ends by this signal and
    leaves no message, file or process. group: whether the signal goes to the process group or to
    the report only."""
    for name in ("bin", "temporary", "here"):
        (tmp_path / name).mkdir()
    engine = tmp_path / "bin" / "pdflatex"
    engine.write_text(ENGINE.format(folder=tmp_path) + SLEEP)
    engine.chmod(0o755)
    with subprocess.Popen(
        [build / "darshan", "report", "-o", "out", log],
        cwd=tmp_path / "here",
        env={
            **os.environ,
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
            "TMPDIR": f"{tmp_path}/temporary",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        started = tmp_path / "started"
        until = time.monotonic() + SECONDS
        while not started.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert list((tmp_path / "temporary").iterdir())
        (os.killpg if group else os.kill)(process.pid, number)
        said = process.communicate(timeout=SECONDS)
    assert (process.returncode, said) == (-number, (b"", b""))
    assert not list((tmp_path / "temporary").iterdir())
    assert not list((tmp_path / "here").iterdir())
    assert not alive(int(started.read_text()))


def test_an_ignored_signal(build: Path, log: Path, tmp_path: Path) -> None:
    """Under nohup, SIGHUP stays ignored: the report continues."""
    (tmp_path / "bin").mkdir()
    engine = tmp_path / "bin" / "pdflatex"
    engine.write_text("#!/bin/sh\nkill -HUP $PPID\nexit 1\n")
    engine.chmod(0o755)
    nohup = shutil.which("nohup")
    assert nohup
    done = finished_in_bytes(
        [nohup, build / "darshan", "report", "-o", "out", log],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
        timeout=SECONDS,
    )
    assert done.returncode == 0 and (tmp_path / "out").read_bytes().startswith(b"%PDF-")
