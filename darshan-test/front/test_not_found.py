"""The last file names that a program which failed or was killed looked up and did not find; and the
exit status of a process that is not part of a run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lab.command import finished
from lab.environment import settings
from lab.log import parsed

from .conftest import Run

LOOKS = """
import os, sys
for name in ("zero", "one", "two", "helper.py", "three", "three"):
    os.path.exists(name)
try:
    open("params.nml")
except OSError:
    for number in range(30):  # as a traceback looks for source lines
        os.path.exists(f"h5py/part{number}.pyx")
    sys.exit(%d)
"""


def said(build: Path, log: Path) -> str:
    """Returns the text of a report in one line."""
    command = [build / "darshan-job-summary", "--text", "-o", "-", log]
    done = finished(command)
    return " ".join(done.stdout.split())


def header(build: Path, log: Path) -> str:
    """Returns the header of a log, and its rows."""
    return parsed(build / "darshan-parser", log, "--base")


def only_log(folder: Path) -> Path:
    """Returns the only log of a run."""
    (log,) = (folder / "darshan-logs").iterdir()
    return log


def test_failed(darshan: Run, build: Path, work: Path) -> None:
    """The report has the last four names that were not found. Only names of data files count."""
    screen = darshan("stat", sys.executable, "-c", LOOKS % 3).stderr.decode()
    log = only_log(work)
    assert "last failed lookup: " in screen and "params.nml" in screen
    text = said(build, log)
    assert "failed with exit status 3" in text
    names = [str(work / name) for name in ("params.nml", "three", "two", "one")]
    kept = [name for name in names if name in text]
    assert f"looked up and did not find: {', '.join(kept)}" in text
    assert kept[0] == names[0] and str(work / "zero") not in text and "helper.py" not in text


def test_ended_well(darshan: Run, build: Path, work: Path) -> None:
    """The log of a program that succeeded has no names that were not found."""
    darshan("run", sys.executable, "-c", LOOKS % 0)
    assert "# metadata: not_found" not in header(build, only_log(work))


def test_hidden(darshan: Run, build: Path, work: Path) -> None:
    """Names that were not found are anonymized like all others."""
    darshan("run", sys.executable, "-c", LOOKS % 3)
    out = work / "hidden.darshan"
    command = [build / "darshan-convert", "--obfuscate", "--key", "7", only_log(work), out]
    subprocess.run(command, check=True)
    text = header(build, out)
    assert "not_found = " in text and "params" not in text


@pytest.mark.parametrize("status", [0, 3])
def test_exported(build: Path, work: Path, environment: dict[str, str], status: int) -> None:
    """Without `darshan run`, the log of a process that fails has its exit status and the last names
    that it did not find. The log of a process that succeeds has neither."""
    log = work / "log.darshan"
    variables = settings(build, DARSHAN_JOB_TREE="0", DARSHAN_LOGFILE=str(log))
    command = [sys.executable, "-c", LOOKS % status]
    done = subprocess.run(command, cwd=work, env=environment | variables, check=False)
    assert done.returncode == status
    assert ("failed with exit status 3" in said(build, log)) == (status == 3)
    assert ("# metadata: not_found = " in header(build, log)) == (status == 3)


# Looks up more names than the journal keeps, and kills itself or its process group.
KILLED = """
import os, sys
for number in range(40):
    os.path.exists(f"early{number}")
for name in ("one", "two", "helper.py", "three", "x" * 250, "params.nml"):
    os.path.exists(name)
open("data", "wb").write(bytes(100))
%s
"""
LAST = ("params.nml", "three", "two", "one")
DIES = "os.kill(os.getpid(), int(sys.argv[1]))"
KILLS_ALL = "os.killpg(0, 9)"


def names_of(build: Path, log: Path) -> list[str]:
    """Returns the base names in the log's list of names that were not found."""
    found = re.findall(r"^# metadata: not_found(?:_\d)? = (.*)$", header(build, log), re.M)
    return [os.path.basename(name) for name in found]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_killed(darshan: Run, build: Path, work: Path, number: signal.Signals) -> None:
    """The log of a killed program has the names that it did not find, which its journal
    preserved."""
    command = [sys.executable, "-c", KILLED % DIES, str(int(number))]
    screen = darshan("stat", *command).stderr.decode()
    log = only_log(work)
    assert re.search(r"^last failed lookup: .*params\.nml$", screen, re.M), screen
    names = names_of(build, log)
    assert names == list(LAST)[: len(names)] and names
    text = said(build, log)
    assert f"was killed by {number.name}" in text
    assert "The last names that it looked up and did not find: " in text and "early" not in text


def test_killed_without_a_run(
    darshan: Run, build: Path, work: Path, environment: dict[str, str]
) -> None:
    """For a killed process that is not part of a run, `darshan recover` makes a log with the names
    that it did not find, and the report says that the program was probably killed."""
    variables = settings(build, work / "darshan-logs", DARSHAN_JOB_TREE="0")
    command = [sys.executable, "-c", KILLED % DIES, "9"]
    done = subprocess.run(command, cwd=work, env=environment | variables, check=False)
    assert done.returncode == -9
    (journal,) = Path(environment["DARSHAN_MMAP_LOGPATH"]).iterdir()
    for path in (journal, journal.parent):
        os.utime(path, (0, 0))
    darshan("recover", "-o", "darshan-logs")
    log = only_log(work)
    assert names_of(build, log)[0] == LAST[0]
    assert "was probably killed after" in said(build, log)
    screen = darshan("stat", "-r", log).stderr.decode()
    assert "last failed lookup: " in screen and "Your I/O is fine" not in screen


def test_everybody_was_killed(darshan: Run, build: Path, work: Path) -> None:
    """If the launcher was killed, too, the names are those of the program, not of the shell."""
    script = f"{sys.executable} -c '{KILLED % KILLS_ALL}'; true"
    darshan("run", "setsid", "-w", "sh", "-c", f"ls nowhere; {script}; exit")
    logs = work / "darshan-logs"
    log = next((path for path in logs.glob("*.darshan")), None)
    assert log and names_of(build, log)[0] == LAST[0]
    assert "nowhere" not in " ".join(names_of(build, log))


def test_path_of_the_log_is_too_long(build: Path, tmp_path: Path) -> None:
    """Without room for the log's path, the program does not start, and one line says why."""
    variables = {**os.environ, "DARSHAN_LOGFILE": "/" + "x" * 5000}
    done = finished([build / "darshan", "run", "true"], cwd=tmp_path, env=variables)
    assert (done.returncode, done.stderr.count("\n")) == (125, 1), done
    assert "DARSHAN_LOGFILE" in done.stderr and "File name too long" in done.stderr
