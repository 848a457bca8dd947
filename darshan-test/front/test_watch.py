"""`darshan watch` shows the I/O of running processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lab.command import finished
from lab.environment import settings

# Writes 4 KiB to a file every 2 ms, without end.
_WRITER = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(fd, bytes(4096))
print("ready", flush=True)
while True:
    os.write(fd, bytes(4096))
    time.sleep(0.002)
"""


def watch(build: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs `darshan watch ARGUMENT...`; returns its status and output."""
    return finished([build / "darshan", "watch", *arguments], timeout=60)


def test_running_process(build: Path, tmp_path: Path) -> None:
    """The file of a running process is listed with its write rate, in plain lines if the output is
    no terminal. The process's journal is not changed."""
    journals, logs, data = tmp_path / "journals", tmp_path / "logs", tmp_path / "data"
    for folder in (journals, logs):
        folder.mkdir()
    environment = os.environ | settings(build, logs, journals)
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, data], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        done = watch(build, "-n", "0.3", "-c", "3", journals)
        by_file = watch(build, next(journals.iterdir()), "-n", "0.3", "-c", "1")
    finally:
        process.kill()
        process.wait()
    assert (done.returncode, done.stderr) == (0, "")
    looks = done.stdout.strip().split("\n\n")
    assert len(looks) == 3 and "\x1b" not in done.stdout
    for look in [*looks, by_file.stdout]:
        lines = look.strip().split("\n")
        assert "1 journal" in lines[0]
        layer = next(line for line in lines if line.startswith("POSIX"))
        file = next(line for line in lines if str(data)[-20:] in line)
        assert layer.split()[1:] == file.split()[1:]
        assert layer.split()[1:3] == ["0", "B/s"] and layer.split()[3] != "0"
    # The process is dead now: its journal is counted, and no rate is shown.
    look = watch(build, "-n", "0.1", "-c", "1", journals).stdout
    assert "1 journal" in look and str(data) not in look


def test_usage(build: Path, tmp_path: Path) -> None:
    """Wrong values give status 2; a folder that does not exist gives status 1 and a message; an
    empty folder is no error."""
    assert watch(build, "-n", "0").returncode == 2
    assert watch(build, "-c", "x").returncode == 2
    done = watch(build, "-c", "1", tmp_path / "nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr
    assert watch(build, "-n", "0.05", "-c", "1", tmp_path).returncode == 0
