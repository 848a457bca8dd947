"""For a program that failed or was killed, the log has the last file names that it looked up and
did not find, and for a process outside of `darshan run` its exit status."""

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

# Looks up missing names, then fails to open params.nml and exits with the status that is filled in.
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
    """Returns the text of the report on a log, with its lines joined."""
    command = [build / "darshan-job-summary", "--text", "-o", "-", log]
    done = finished(command)
    return " ".join(done.stdout.split())


def header(build: Path, log: Path) -> str:
    """Returns the output of `darshan-parser --base` for a log: its header and rows."""
    return parsed(build / "darshan-parser", log, "--base")


def only_log(folder: Path) -> Path:
    """Returns the path of the only log in the folder darshan-logs."""
    (log,) = (folder / "darshan-logs").iterdir()
    return log


def test_failed(darshan: Run, build: Path, work: Path) -> None:
    """For a program that exits with a status other than 0, the report has the last missing names,
    newest first, without source files that Python looked for. The screen has the newest."""
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
    """In an obfuscated log, names that were not found cannot be read."""
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


# Looks up more missing names than the journal keeps, then executes the text that is filled in.
KILLED = """
import os, sys
for number in range(40):
    os.path.exists(f"early{number}")
for name in ("one", "two", "helper.py", "three", "x" * 250, "params.nml"):
    os.path.exists(name)
open("data", "wb").write(bytes(100))
%s
"""
# The last missing names of data files, newest first.
LAST = ("params.nml", "three", "two", "one")
# Sends the signal of the argument to the process itself.
DIES = "os.kill(os.getpid(), int(sys.argv[1]))"
# Kills the process group.
KILLS_ALL = "os.killpg(0, 9)"


def names_of(build: Path, log: Path) -> list[str]:
    """Returns the base names in the log's list of names that were not found, newest first."""
    found = re.findall(r"^# metadata: not_found(?:_\d)? = (.*)$", header(build, log), re.M)
    return [os.path.basename(name) for name in found]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_killed(darshan: Run, build: Path, work: Path, number: signal.Signals) -> None:
    """For a program that was killed by a signal, the screen, the log and the report have the last
    names that it did not find, which its journal kept."""
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
    """For a killed process outside of `darshan run`, `darshan recover` makes a log with the names
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
    """If all processes of a run were killed, the names in the log are those of the program that ran
    last, not those of the shell or of an earlier command."""
    script = f"{sys.executable} -c '{KILLED % KILLS_ALL}'; true"
    darshan("run", "setsid", "-w", "sh", "-c", f"ls nowhere; {script}; exit")
    logs = work / "darshan-logs"
    log = next((path for path in logs.glob("*.darshan")), None)
    assert log and names_of(build, log)[0] == LAST[0]
    assert "nowhere" not in " ".join(names_of(build, log))


def test_path_of_the_log_is_too_long(build: Path, tmp_path: Path) -> None:
    """If DARSHAN_LOGFILE is longer than a path can be, `darshan run` fails with status 125 before
    it starts the program, and one line says why."""
    variables = {**os.environ, "DARSHAN_LOGFILE": "/" + "x" * 5000}
    done = finished([build / "darshan", "run", "true"], cwd=tmp_path, env=variables)
    assert (done.returncode, done.stderr.count("\n")) == (125, 1), done
    assert "DARSHAN_LOGFILE" in done.stderr and "File name too long" in done.stderr
