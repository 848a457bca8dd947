"""On a terminal, the program that `darshan run` starts can read it and gets its signals once, and
headings are bold."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from pathlib import Path

import pytest

from .conftest import SECONDS


def at_terminal(
    command: list[str], environment: dict[str, str], work: Path, answer_to: bytes, answer: bytes
) -> tuple[bytes, int]:
    """Runs a command in the folder `work` on a new terminal. When the output contains `answer_to`,
    types `answer`; nothing if that is empty. Returns all output and the status of waitpid."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(work)
        os.execve(command[0], command, environment)
    seen, typed, deadline = b"", not answer, time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece
        if not typed and answer_to in seen:
            os.write(terminal, answer)
            typed = True
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    return seen, os.waitpid(pid, 0)[1]


@pytest.fixture
def front(build: Path) -> str:
    """Returns the path of `darshan`, as text."""
    return str(build / "darshan")


def test_interrupt_reaches_the_program_once(
    front: str, environment: dict[str, str], work: Path
) -> None:
    """Ctrl-C sends the program SIGINT exactly once, and `darshan run` waits for its end and passes
    on its status."""
    script = 'n=0; trap "n=$((n+1)); echo told $n" INT; echo ready; '
    script += "sleep 0.3; sleep 0.3; echo end; exit 5"
    seen, status = at_terminal(
        [front, "run", "sh", "-c", script], environment, work, b"ready", b"\x03"
    )
    assert os.waitstatus_to_exitcode(status) == 5
    assert seen.count(b"told") == 1
    assert b"darshan: " in seen


def test_program_has_the_terminal(front: str, environment: dict[str, str], work: Path) -> None:
    """The program can read lines from the terminal."""
    script = "test -t 0 && test -t 2 && echo ask && read line && echo got $line"
    seen, status = at_terminal(
        [front, "run", "sh", "-c", script], environment, work, b"ask", b"words\n"
    )
    assert status == 0
    assert b"got words" in seen


@pytest.mark.parametrize(("variables", "bold"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colour(
    front: str, environment: dict[str, str], work: Path, variables: dict[str, str], bold: bool
) -> None:
    """The headings of `darshan stat` are bold on a terminal, unless NO_COLOR is set."""
    command = [front, "stat", "dd", "if=/bin/sh", "of=copy", "status=none"]
    seen, status = at_terminal(command, {**environment, **variables}, work, b"", b"")
    assert status == 0
    assert (b"\033[1m" in seen) == bold
    assert b"POSIX" in seen
