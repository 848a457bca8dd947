"""Each command has a help text, and a mistyped command is named in the message."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

SECONDS = 60
COMMANDS = ["run", "stat", "watch", "recover", "report", "parse", "trace", "merge", "convert",
            "diff", "collect", "ask", "digest", "serve", "lake"]  # fmt: skip
PROGRAMS = ["darshan-parser", "darshan-dxt-parser", "darshan-merge", "darshan-convert",
            "darshan-diff", "darshan-analyzer", "darshan-job-summary", "darshan-dxt-analyzer",
            "darshan-summary-per-file", "darshan-mk-log-dirs"]  # fmt: skip


def said(*command: str | Path) -> tuple[int, str, str]:
    """Returns exit status, standard output and standard error."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_every_command_is_here(build: Path) -> None:
    """COMMANDS lists all commands of the usage."""
    _, usage, _ = said(build / "darshan", "--help")
    assert {*COMMANDS, "help"} == set(re.findall(r"^  ([a-z]+) ", usage, re.MULTILINE))


# The parser has no short options, like 3.5.0's.
ASKED = [(c, o) for c in COMMANDS for o in ("--help", "-h") if (c, o) != ("parse", "-h")]


@pytest.mark.parametrize("command, option", ASKED)
def test_help_of_a_command(command: str, option: str, build: Path) -> None:
    """Help is printed on standard output with status 0, and nothing is run."""
    status, shown, wrong = said(build / "darshan", command, option)
    assert (status, wrong) == (0, "")
    assert shown.lower().startswith(("usage: darshan", "usage:\ndarshan"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_of_a_program(program: str, build: Path) -> None:
    status, shown, wrong = said(build / program, "--help")
    assert (status, wrong) == (0, "") and shown.lower().startswith("usage: ")
    assert program in shown.splitlines()[0]


@pytest.mark.parametrize("word, kind", [("bogus", "command"), ("--bogus", "option")])
def test_a_word_that_is_no_command(word: str, kind: str, build: Path) -> None:
    """The message names the unknown word, and the exit status is that of a usage error."""
    front = build / "darshan"
    status, shown, wrong = said(front, word, "x")
    assert (status, shown) == (2, "")
    assert wrong.splitlines()[0] == f"darshan: there is no {kind} {word}"
    assert wrong.splitlines()[1].startswith("usage: darshan")
    assert said(front)[::2] == (2, wrong.partition("\n")[2])
    assert said(front, "run", "-Q")[0] == said(front, "watch", "--bogus")[0] == 2


def test_a_hostile_word_does_not_steer_the_terminal(build: Path) -> None:
    assert "\x1b" not in said(build / "darshan", "\x1b[31m")[2]


def test_an_option_that_is_none_is_named_with_the_command(build: Path) -> None:
    for command in ("run", "stat", "watch", "recover"):
        wrong = said(build / "darshan", command, "--bogus")[2]
        assert wrong.startswith(f"darshan {command}: ") and "bogus" in wrong.splitlines()[0]


def test_what_follows_the_program_is_its_own(build: Path, tmp_path: Path) -> None:
    """A --help after the program's name belongs to the program."""
    status, shown, _ = said(build / "darshan", "run", "-o", tmp_path, "echo", "-h", "--help")
    assert (status, shown) == (0, "-h --help\n")
