"""The arguments of darshan try."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from ..called import called_as
from ..classes import dataclass
from .remedies import REMEDIES

PROGRAM = called_as("darshan-try")
USAGE = 2


@dataclass(frozen=True)
class Options:
    """The options of one `darshan try`, by their names without "--", and the program to run. An
    option that was not given is "", empty or False."""

    darshan: str  # path of the command darshan
    log: str  # empty: the first run makes it
    command: tuple[str, ...]  # the program and its arguments
    list: bool
    only: tuple[str, ...]  # names of remedies; empty: all that the findings propose
    all: bool
    copy: str
    setup: str
    budget: float | None  # seconds; None: no option --budget
    json: bool
    cold: bool
    ignore: tuple[str, ...]
    same: str
    yes_repeat: bool


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


_seconds.__name__ = "number of seconds"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [OPTION...] [LOG] -- PROGRAM [ARGUMENT...]\n"
        f"       {PROGRAM} --list [LOG]",
        description="Runs a program without and with each remedy, which is applied from outside, "
        "and prints what each remedy gains and what to write to keep it. The findings of LOG, a "
        "log of the same program, propose the remedies; without LOG, those of a first run. What "
        "durability costs (fsync) is only measured, with --copy or --setup. Runs "
        "can change nothing but the copy of --copy and their own TMPDIR, and have no network; "
        "their standard input is empty.",
        epilog="Exit status: 0 if a remedy helped; 1 if none did, or nothing could be tried; 2 for "
        "a usage error; 3 if none helped and one changed the output.",
    )
    parser.add_argument(
        "log", metavar="LOG", nargs="?", default="", help="a log of the same program"
    )
    parser.add_argument(
        "--list", action="store_true", help="print the remedies, and which of them the findings of "
        "LOG ask for; run nothing"
    )  # fmt: skip
    names = [remedy.NAME for remedy in REMEDIES]
    parser.add_argument(
        "--only", action="append", default=[], choices=names, metavar="NAME",
        help="try this remedy, even if no finding asks for it; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--all", action="store_true", help="try all remedies, even if no finding asks for them"
    )
    parser.add_argument(
        "--copy", metavar="DIR", default="", help="the folder that the program changes: each run "
        "sees a copy of it in its place"
    )  # fmt: skip
    parser.add_argument(
        "--setup", metavar="CMD", default="", help="a shell command that prepares each run, in the "
        "copy; without --copy, in an empty folder that stands in for the current one, which "
        "DARSHAN_TRY_FROM names"
    )  # fmt: skip
    parser.add_argument(
        "--budget", metavar="SECONDS", type=_seconds, help="begin no more runs than fit into this "
        "time"
    )  # fmt: skip
    parser.add_argument(
        "--cold", action="store_true", help="drop the program's files from the page cache before "
        "each run"
    )  # fmt: skip
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="PATTERN", help="do not compare files "
        'whose path in the copy matches, or "standard output"; may be repeated'
    )  # fmt: skip
    parser.add_argument(
        "--same", metavar="CMD", default="", help="compare outputs by this shell command, which "
        "gets the folder of a run without and of one with a remedy, and in STDOUT and STDOUT_NOW "
        "their standard outputs; status 0: the same"
    )  # fmt: skip
    parser.add_argument(
        "--yes-repeat", action="store_true", help="allow runs to write anywhere and to use the "
        "network: they repeat what the program does"
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def parse(words: Sequence[str]) -> Options:
    """Returns the options. words: the path of `darshan`, then the arguments that the user typed.
    After --help or a usage error, prints a message and raises SystemExit."""
    darshan, *rest = words
    command: list[str] = []
    if "--" in rest:
        place = rest.index("--")
        rest, command = rest[:place], rest[place + 1 :]
    parser = _parser()
    given = parser.parse_args(rest)
    if not command and not given.list:
        parser.error("name the program after --")
    if given.copy and not os.path.isdir(given.copy):
        parser.error(f"--copy: {given.copy} is not a folder")
    return Options(
        darshan=darshan, log=given.log, command=tuple(command), list=given.list,
        only=tuple(given.only), all=given.all, copy=given.copy, setup=given.setup,
        budget=given.budget, json=given.json, cold=given.cold, ignore=tuple(given.ignore),
        same=given.same, yes_repeat=given.yes_repeat,
    )  # fmt: skip
