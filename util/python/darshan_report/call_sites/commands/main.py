"""The command darshan where, which prints the lines of code with most time in I/O calls."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence

from ...called import called_as
from ...log import open_log
from ...show.output import write_bytes, write_text
from .. import told
from ..content import content
from ..installed import VARIABLE
from ..lines import Lines
from ..viewers import export, pprof
from .command import run, sites_in

PROGRAM = called_as("darshan-where")
FORMAT, VERSION = "darshan-where", 1


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_number.__name__ = "number from 1 on"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Prints the lines of code whose I/O calls took the most time. The run must "
        "have recorded call sites (darshan run --sites, or DARSHAN_SITES=1). The line is the "
        f"innermost one outside of installed software; {VARIABLE} names more folders of installed "
        "software, separated by colons.",
        epilog="Exit status: 0; 1 if the log has no call sites or cannot be read, or the output "
        "cannot be written; 2 for a usage error.",
    )
    parser.add_argument("log", metavar="LOG")
    parser.add_argument(
        "--top", type=_number, default=told.TOP, metavar="N",
        help=f"print N lines (default: {told.TOP})",
    )  # fmt: skip
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--folded", action="store_true", help="print each stack in one row, with the microseconds "
        "in its calls: for flamegraph.pl and inferno"
    )  # fmt: skip
    shown.add_argument(
        "--speedscope", metavar="FILE", help="write all stacks as a file for speedscope, with "
        "seconds, calls and bytes; - is standard output"
    )  # fmt: skip
    shown.add_argument(
        "--pprof", metavar="FILE", help="write all stacks as a profile for pprof, with time, calls "
        "and bytes; - is standard output"
    )  # fmt: skip
    shown.add_argument(
        "--json", action="store_true", help="print JSON, with the stack of each line's costliest "
        "site"
    )  # fmt: skip
    return parser.parse_args(arguments)


def as_json(found: Lines) -> str:
    """Returns the lines of code as JSON, in the format of darshan where --json."""
    return json.dumps({"format": FORMAT, "version": VERSION, **content(found)}, indent=1) + "\n"


def _shown(options: argparse.Namespace, found: Lines) -> str:
    """Returns the lines of code as the options request: as JSON, as folded stacks, or as text."""
    if options.json:
        return as_json(found)
    return "\n".join([*(export.folded(found) if options.folded else told.text(found)), ""])


def _run(options: argparse.Namespace, _say: Callable[[str], None]) -> None:
    with open_log(options.log) as log:
        found, info = sites_in(log, options.log, options.top), log.info
    if options.speedscope:
        write_text(export.speedscope(found, info.exe), options.speedscope)
    elif options.pprof:
        write_bytes(pprof.profile(found, info), options.pprof)
    else:
        write_text(_shown(options, found), "-")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan where and returns its exit status: 0, 1 if the log has no call sites or a file
    cannot be read or written, 2 for a usage error. arguments: by default those of the process."""
    return run(PROGRAM, lambda: _arguments(arguments), _run)
