"""darshan-convert --obfuscate removes all identifying data from logs that the runtime wrote."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.binding import metadata, rows
from logs.tools import run
from runs.launched import Place

# The name of this host.
HOST = socket.gethostname().split(".")[0]
# The options that anonymize.
HOW = ("--obfuscate", "--obfuscate=strong")


def hidden(build: Path, log: Path, how: str) -> tuple[Path, bytes]:
    """Anonymizes a log with darshan-convert. Returns the path of the new log, and the text of
    darshan-parser --all for it. how: the option for anonymizing."""
    new = log.parent / "hidden.darshan"
    new.unlink(missing_ok=True)
    run(build / "darshan-convert", how, "--key", "7", log, new)
    return new, run(build / "darshan-parser", "--all", new).stdout


@pytest.mark.parametrize("how", HOW)
def test_a_rank_that_a_launcher_started(how: str, build: Path, tmp_path: Path) -> None:
    """darshan-convert --obfuscate removes host, process id, and Slurm's job and step ids from the
    log of a rank that srun started."""
    place = Place(build, tmp_path)
    slurm = {"SLURM_JOB_ID": "987654", "SLURM_STEP_ID": "7", "SLURM_NTASKS": "2"}
    more = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}
    place.run(["cat", str(Path(__file__))], place.settings() | slurm | more)
    (log,) = place.all_logs()
    told = metadata(log)
    assert (told["launch"], told["host"]) == ("987654.7", HOST)
    new, text = hidden(build, log, how)
    after = metadata(new)
    for key in ("launch", "host", "pid"):
        assert after[key] != told[key]
    assert int(after["pid"]) > 0
    for word in ("987654", f"= {HOST}\n", f" {told['pid']}\n", str(tmp_path)):
        assert word.encode() not in text


@pytest.mark.parametrize("how", HOW)
def test_processes_of_a_run(how: str, build: Path, tmp_path: Path) -> None:
    """Without a scheduler, the job id of a run is the pid of one of its processes. After
    darshan-convert --obfuscate this is still so, with other numbers."""
    program = (
        "import os; open('a', 'w').close(); child = os.fork(); "
        "os.waitpid(child, 0) if child else open('b', 'w').close()"
    )
    command = [build / "darshan", "run", "-o", "logs", sys.executable, "-c", program]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    (log,) = (tmp_path / "logs").glob("*.darshan")
    with open_log(log) as opened:
        job = opened.info.jobid
    numbers = {int(x[f"PROCESS_{y}"]) for x in rows(log, "PROCESS") for y in ("PID", "PARENT")}
    assert job in numbers
    new, _ = hidden(build, log, how)
    with open_log(new) as opened:
        hidden_job = opened.info.jobid
    assert hidden_job != job
    after = {int(x[f"PROCESS_{y}"]) for x in rows(new, "PROCESS") for y in ("PID", "PARENT")}
    assert hidden_job in after
    assert not after & (numbers - {0, -1})
    assert len(after) == len(numbers)
