"""Common parts of the commands that read call sites: messages and the exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from ...exit_status import exit_status
from ...log import Log
from ...show.output import asked
from ...show.text import visible
from ..lines import Lines, lines_of

_NO_SITES = "the log has no call sites; record them by darshan run --sites, or with DARSHAN_SITES=1"


class UnusableError(Exception):
    """The command cannot do what the user requested; the message has the file and the reason."""


def sites_in(log: Log, path: str, top: int) -> Lines:
    """Returns the lines of code in a log, with the files and library functions of the costliest
    `top` lines only. path: path of the log, for messages. Raises UnusableError if the log has no
    call sites or no readable annex, LogError if the call sites are damaged."""
    found = lines_of(log, top)
    if found is None:
        problem = log.info.annex_problem
        why = f"cannot read the annex: {problem}" if problem else _NO_SITES
        raise UnusableError(f"{path}: {why}")
    return found


def run(
    program: str,
    arguments: Callable[[], argparse.Namespace],
    action: Callable[[argparse.Namespace, Callable[[str], None]], None],
) -> int:
    """Runs a command that reads one log; returns its exit status: 0, or 1 after an error message.

    program: its name, with which messages begin. arguments: parses the command line; the result has
    the path of the log as `log`. action: does the work, with the options and a function that prints
    a message; it may raise UnusableError."""

    def say(text: str) -> None:
        print(f"{program}: {visible(text)}", file=sys.stderr)

    def act() -> int:
        try:
            action(options, say)
        except UnusableError as error:
            say(str(error))
            return 1
        sys.stdout.flush()
        return 0

    options = asked(arguments, say)
    return exit_status(act, options.log, say, lambda: "cannot write to standard output")
