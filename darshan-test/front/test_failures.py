"""`darshan stat` and the report list the processes that failed, and the file names that these
looked up last and did not find."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Run
from .test_not_found import only_log, said

# Commands whose exit status is an answer and not a failure, except that of ls; the script continues
# after each.
ANSWERS = """
grep -q nothing /etc/passwd
diff /etc/passwd /etc/group > /dev/null
cmp -s /etc/passwd /etc/group
/usr/bin/test -f nowhere
expr 1 - 1 > /dev/null
readlink /etc/passwd
find nowhere 2> /dev/null
ls nowhere 2> /dev/null
cat /etc/passwd /etc/passwd | head -n 1 > /dev/null
"""
# Looks up its first argument as a path and exits with the status in its second.
LOOK = """
import os, sys
os.path.exists(sys.argv[1])
sys.exit(int(sys.argv[2]))
"""


def screen(darshan: Run, *command: str) -> str:
    """Runs `darshan stat` on a command and returns the screen."""
    return darshan("stat", *command).stderr.decode()


def ended_badly(text: str) -> str:
    """Returns the processes in the screen's line "ended badly"; "" if there is none."""
    found = re.search(r"^ended badly: (.*(?:\n  .*)?)$", text, re.M)
    return " ".join(found[1].split()) if found else ""


@pytest.fixture
def look(work: Path) -> str:
    """Returns a shell command that looks up a path and exits with a status, both given as
    arguments."""
    (work / "look.py").write_text(LOOK)
    return f"{sys.executable} -S {work}/look.py"


def test_answers(darshan: Run, build: Path, work: Path) -> None:
    """In a run that succeeded, neither the screen nor the report lists commands with a status other
    than 0 as failed."""
    assert ended_badly(screen(darshan, "sh", "-c", f"{ANSWERS}\ntrue")) == ""
    assert "nded badly" not in said(build, only_log(work))
    assert "status other than 0" not in said(build, only_log(work))


def test_answers_of_a_run_that_failed(darshan: Run) -> None:
    """In a run that failed, the screen lists the process that ended the run and ls, which failed.
    It omits commands like grep whose status other than 0 is a normal result."""
    told = ended_badly(screen(darshan, "bash", "-c", f"{ANSWERS}\nexit 7"))
    assert set(told.split(", ")) == {"bash (status 7)", "ls (status 2)"}


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("bash -c 'kill -SEGV $$'; true", "bash (SIGSEGV)"),
        ("bash -c 'kill -ABRT $$'; true", "bash (SIGABRT)"),
        ("bash -c 'kill -KILL $$'; true", "bash (SIGKILL)"),
        ("sleep 9 & kill $!; wait; true", ""),
        ("yes | head -n 1; true", ""),
        ("yes | head -n 1; exit 7", "bash (status 7)"),
    ],
)
def test_signals(darshan: Run, script: str, told: str) -> None:
    """Processes killed by SIGSEGV, SIGABRT or SIGKILL are listed as failed, but not those killed by
    SIGPIPE, or by SIGTERM from another process. told: the expected list."""
    assert ended_badly(screen(darshan, "bash", "-c", script)) == told


def test_the_cause_is_among_them(darshan: Run) -> None:
    """A command like grep, whose status other than 0 is a normal result elsewhere, is listed as
    failed if its status ended the run."""
    text = screen(darshan, "bash", "-c", "grep -q nothing /etc/passwd && touch file")
    assert set(ended_badly(text).split(", ")) == {"bash (status 1)", "grep (status 1)"}


@pytest.mark.parametrize(
    ("script", "by"),
    [
        ("exec {look} params.nml 4", False),
        ("set -e; {look} params.nml 4; touch file", True),
        ("bash -c '{look} params.nml 4; exit $?'; exit $?", True),
        ("{look} params.nml 4; exit 9", True),
        ("echo 4 | xargs {look} params.nml", True),
    ],
    ids=["itself", "last", "two below", "another status", "xargs"],
)
def test_names_of_the_one_that_failed(
    darshan: Run, build: Path, look: str, script: str, by: bool
) -> None:
    """The screen and the report have the names that the failed process looked up in vain, not those
    of the shell that started it or of processes whose failure had no effect. by: whether they name
    that process."""
    text = screen(darshan, "bash", "-c", f"{look} other.nml 0; " + script.format(look=look))
    who = Path(sys.executable).name
    line = re.search(r"^last failed lookup( by \S+)?: .*params\.nml$", text, re.M)
    assert line and line[1] == (f" by {who}" if by else None)
    report = said(build, only_log(Path(look.rsplit(maxsplit=1)[-1]).parent)).replace(" ", "")
    said_by = who if by else "it"  # the PDF may break the name at a hyphen
    assert re.search(rf"Thelastnamesthat{said_by}lookedupanddidnotfind:[^,]*/params\.nml", report)
    assert "other.nml" not in report.split("Thisreportcovers")[0]


def test_names_of_a_run_that_ended_well(darshan: Run, build: Path, work: Path, look: str) -> None:
    """If the run succeeded, names that its child processes looked up in vain are neither on the
    screen nor in the log."""
    text = screen(darshan, "bash", "-c", f"{look} params.nml 4; true")
    assert "looked up" not in text and ended_badly(text) == ""
    command = [build / "darshan-parser", "--base", only_log(work)]
    head = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "metadata: not_found" not in head


def test_hidden(darshan: Run, build: Path, work: Path, look: str) -> None:
    """In an obfuscated log, neither the name that was not found nor the program that looked it up
    can be read."""
    screen(darshan, "bash", "-c", f"{look} params.nml 4; exit 5")
    out = work / "hidden.darshan"
    command = [build / "darshan-convert", "--obfuscate", "--key", "7", only_log(work), out]
    subprocess.run(command, check=True)
    command = [build / "darshan-parser", "--base", out]
    head = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    by = re.search(r"^# metadata: not_found_by = (.*)$", head, re.M)
    assert by and "python" not in by[1] and "params" not in head
