"""In an interactive shell with the runtime, each command is a run."""

from __future__ import annotations

import os
import pty
import time
from pathlib import Path

import pytest
from calls.run_case import parse
from lab.environment import settings
from left import left_in

SECONDS = 20
COMMANDS = ("cat words >copied", "sh -c 'cat words >one; cat one >two'", "sort <words >sorted")


def type_in(shell: list[str], work: Path, env: dict[str, str], done: Path) -> None:
    """Starts a shell on a terminal, types COMMANDS line by line, each after the previous one has
    ended, then `exit`, and waits for the shell. done: a folder in which each command creates a file
    when it has ended."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(work)
        os.execve(shell[0], shell, env)
    for i, command in enumerate((*COMMANDS, "exit")):
        mark = done / str(i)
        os.write(terminal, f"{command}; >{mark}\n".encode() if command != "exit" else b"exit\n")
        end = time.monotonic() + SECONDS
        while command != "exit" and not mark.exists() and time.monotonic() < end:
            time.sleep(0.01)
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:  # the last process has closed the terminal
        pass
    os.waitpid(pid, 0)
    os.close(terminal)


@pytest.mark.parametrize("shell", [["/bin/bash", "--norc", "--noprofile"], ["/bin/dash"]])
def test_each_command_has_a_log(
    shell: list[str], build: Path, parser: Path, tmp_path: Path
) -> None:
    """Each command that is typed into the shell leaves one log, and no journal."""
    places = {name: tmp_path / name for name in ("work", "logs", "journals", "done")}
    for place in places.values():
        place.mkdir()
    (places["work"] / "words").write_text("some words\n" * 1000)
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "TERM": "dumb",
        **settings(build, places["logs"], places["journals"]),
    }
    type_in(shell, places["work"], env, places["done"])
    assert left_in(places["journals"]) == []
    logs = [parse(parser, path) for path in places["logs"].iterdir()]
    of_shell = [log for log in logs if log.header["exe"] == " ".join(shell)]
    names = sorted(log.header["exe"].split()[0] for log in logs if log not in of_shell)
    assert names == ["cat", "sh", "sort"]
    assert len(of_shell) == 1
    (script,) = (log for log in logs if log.header["exe"].startswith("sh -c"))
    assert int(script.header["nprocs"]) == 3
    copied = [log.value(str(places["work"] / "copied"), "POSIX_BYTES_WRITTEN") for log in logs]
    assert sorted(copied)[-1] == sum(copied) == 11000
