"""Each command has a help text; a mistyped command is named in the message; errors begin with the
name of the command that was typed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from lab.command import finished

# Time limit of a command.
SECONDS = 60
# Commands of `darshan`, in the groups and the order of its usage.
GROUPS = {
    "Run": ["run", "stat", "watch", "recover"],
    "Read": [
        "list",
        "report",
        "where",
        "annotate",
        "try",
        "parse",
        "compare",
        "diff",
        "trace",
        "dxt-parse",
        "dxt-analyze",
        "per-file",
        "analyze",
    ],
    "Convert": ["convert", "merge"],
    "Centre": ["collect", "ask", "digest", "serve", "lake"],
    "Admin": ["mk-log-dirs", "config", "gen-cc"],
}
COMMANDS = [command for group in GROUPS.values() for command in group]
# Programs of the build that have their own --help.
PROGRAMS = ["darshan-parser", "darshan-dxt-parser", "darshan-merge", "darshan-convert",
            "darshan-diff", "darshan-analyzer", "darshan-job-summary", "darshan-dxt-analyzer",
            "darshan-summary-per-file", "darshan-mk-log-dirs"]  # fmt: skip


def said(*command: str | Path) -> tuple[int, str, str]:
    """Runs a command. Returns exit status, standard output and standard error."""
    done = finished(command, timeout=SECONDS)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.always
def test_every_command_is_here(build: Path) -> None:
    """The usage of `darshan` lists exactly the commands in GROUPS, in one line of at most 80
    columns each."""
    _, usage, _ = said(build / "darshan", "--help")
    found: dict[str, list[str]] = {}
    for line in usage.splitlines():
        assert len(line) <= 80
        if heading := re.fullmatch(r"([A-Z][a-z]+):", line):
            found[heading[1]] = []
        elif command := re.match(r"  ([a-z][a-z-]+) ", line):
            found[list(found)[-1]].append(command[1])
    found["Admin"].remove("help")
    assert found == GROUPS


@pytest.mark.always
def test_every_tool_is_a_command(build: Path) -> None:
    """Each program darshan-NAME of the build can be started as `darshan NAME`, and has a usage."""
    programs = {p.name for p in build.glob("darshan-*") if p.is_file() and p.stat().st_mode & 1}
    for name in sorted(n for n in programs if "." not in n):
        status, shown, _ = said(build / "darshan", name.removeprefix("darshan-"), "--help")
        assert (status, "usage: " in shown.lower()) == (0, True), name


# Commands without -h. The parsers have no short options, like those of 3.5.0.
LONG_ONLY = ("parse", "dxt-parse", "config")
# Each command with each option that asks for its help.
ASKED = [(c, o) for c in COMMANDS for o in ("--help", "-h") if c not in LONG_ONLY or o != "-h"]


@pytest.mark.parametrize("command, option", ASKED)
def test_help_of_a_command(command: str, option: str, build: Path) -> None:
    """--help and -h of each command print its usage on standard output with status 0, and nothing
    else."""
    status, shown, wrong = said(build / "darshan", command, option)
    assert (status, wrong) == (0, "")
    assert shown.lower().startswith(("usage: darshan", "usage:\ndarshan"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_of_a_program(program: str, build: Path) -> None:
    """--help of each program prints its usage, which begins with its own name, on standard output
    with status 0."""
    status, shown, wrong = said(build / program, "--help")
    assert (status, wrong) == (0, "") and shown.lower().startswith("usage: ")
    assert program in shown.splitlines()[0]


@pytest.mark.parametrize("word, kind", [("bogus", "command"), ("--bogus", "option")])
def test_a_word_that_is_no_command(word: str, kind: str, build: Path) -> None:
    """If the first argument of `darshan` is neither a command nor an option, the message names it,
    and the exit status is 2."""
    front = build / "darshan"
    status, shown, wrong = said(front, word, "x")
    assert (status, shown) == (2, "")
    assert wrong.splitlines() == [
        f"darshan: unknown {kind} {word}",
        'darshan: "darshan --help" lists the commands',
    ]
    assert said(front, "run", "-Q")[0] == said(front, "watch", "--bogus")[0] == 2


def test_without_arguments(build: Path) -> None:
    """Without arguments, `darshan` prints the text of --help on standard error, and the exit status
    is 2."""
    front = build / "darshan"
    status, shown, wrong = said(front)
    assert (status, shown) == (2, "")
    assert said(front, "--help") == said(front, "-h") == (0, wrong, "")


@pytest.mark.parametrize(
    "typed, meant",
    [("reprot", "report"), ("stats", "stat"), ("rum", "run"), ("colect", "collect"),
     ("anal", "analyze"), ("mk-logdirs", "mk-log-dirs"), ("halp", "help")],
)  # fmt: skip
def test_a_similar_command_is_proposed(typed: str, meant: str, build: Path) -> None:
    """For a mistyped command, the message proposes the command with the most similar name."""
    status, shown, wrong = said(build / "darshan", typed)
    assert (status, shown) == (2, "")
    assert wrong.startswith(f"darshan: unknown command {typed}; did you mean {meant}?\n")


@pytest.mark.parametrize("command", [["-V"], ["--version"], ["run", "-V"], ["stat", "--version"]])
def test_the_version(command: list[str], build: Path) -> None:
    """-V and --version of `darshan` and of its commands print the version with status 0."""
    status, shown, wrong = said(build / "darshan", *command)
    assert (status, wrong) == (0, "") and re.fullmatch(r"darshan \d+\.\d+\.\d+\n", shown)


@pytest.mark.parametrize(
    "command, arguments",
    [("parse", ["/no/log"]), ("dxt-parse", ["/no/log"]), ("diff", ["/no/log", "/no/log"]),
     ("convert", ["/no/log", "/no/new"]), ("merge", ["/no/log"]), ("analyze", ["/no/log"]),
     ("report", ["/no/log"]), ("trace", ["/no/log"]), ("dxt-analyze", ["/no/log"])],
)  # fmt: skip
def test_errors_have_the_name_that_was_typed(
    command: str, arguments: list[str], build: Path
) -> None:
    """If `darshan COMMAND` starts another program, error messages and usage begin with `darshan
    COMMAND`, not with that program's name."""
    status, _, wrong = said(build / "darshan", command, *arguments)
    assert status != 0
    assert wrong.startswith(f"darshan {command}: /no/log"), wrong
    usage = said(build / "darshan", command, "--help")[1].splitlines()[0].lower()
    assert usage.startswith(f"usage: darshan {command} ")


@pytest.mark.parametrize("program", ["darshan-parser", "darshan-job-summary", "darshan-diff"])
def test_errors_of_a_program_have_its_own_name(program: str, build: Path) -> None:
    """If a program is started directly, its error messages begin with its own name and the path."""
    wrong = said(build / program, *["/no/log"] * (1 + (program == "darshan-diff")))[2]
    assert wrong.startswith(f"{program}: /no/log: ")


def test_a_hostile_word_does_not_steer_the_terminal(build: Path) -> None:
    """Control characters in a mistyped command are not printed."""
    assert "\x1b" not in said(build / "darshan", "\x1b[31m")[2]


def test_an_option_that_is_none_is_named_with_the_command(build: Path) -> None:
    """For an unknown option, the message begins with the command and names the option."""
    for command in ("run", "stat", "watch", "recover"):
        wrong = said(build / "darshan", command, "--bogus")[2]
        assert wrong.startswith(f"darshan {command}: ") and "bogus" in wrong.splitlines()[0]


def test_what_follows_the_program_is_its_own(build: Path, tmp_path: Path) -> None:
    """Options after the name of the program that `darshan run` starts are passed to that
    program."""
    status, shown, _ = said(build / "darshan", "run", "-o", tmp_path, "echo", "-h", "--help")
    assert (status, shown) == (0, "-h --help\n")


def test_a_program_that_nobody_may_read(build: Path, tmp_path: Path) -> None:
    """If the program of a command cannot be started, the exit status is 127, and the message
    distinguishes a program without permission from one that is missing."""
    folder = tmp_path / "installed"
    folder.mkdir()
    shutil.copy(build / "darshan", folder)
    missing = said(folder / "darshan", "try", "--", "true")
    assert missing[0] == 127
    assert missing[2].startswith("darshan: cannot find darshan-try: ")
    (folder / "darshan-try").touch(mode=0)
    other: list[str] = []
    if os.getuid() == 0:
        other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    status, _, error = said(*other, folder / "darshan", "try", "--", "true")
    assert status == 127
    assert error.startswith(f"darshan: cannot read {folder}/darshan-try: Permission denied; ")
