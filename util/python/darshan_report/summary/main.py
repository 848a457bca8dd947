"""The command darshan-job-summary."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..diagnose.limits import LimitError, Limits, read_limits
from ..library import LibraryMissing, LogError
from ..log import open_log
from . import terminal
from .compose import compose
from .context import Context
from .model import Report
from .output import write_pdf
from .text import visible

_PROGRAM = "darshan-job-summary"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Makes a PDF report of Darshan logs.",
        epilog="Without -o, every LOG gives LOG's name with .pdf in the current folder.",
    )
    parser.add_argument("logs", nargs="+", metavar="LOG", help="a log, or the journal of a process")
    parser.add_argument(
        "-o", "--output", metavar="OUT.pdf", help="one PDF file for all logs, one after another"
    )
    parser.add_argument(
        "--keep", metavar="DIR", help="keep the LaTeX source, its log and the figures in DIR"
    )
    parser.add_argument(
        "--no-latex", action="store_true", help="make the PDF without LaTeX even if it is there"
    )
    parser.add_argument(
        "--text", action="store_true", help="the findings and the layers on the terminal, no PDF"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="with --text: evidence, and what is good"
    )
    parser.add_argument(
        "--thresholds", metavar="FILE", help="other thresholds of findings: lines name = number"
    )
    return parser.parse_args(arguments)


def _say(text: str) -> None:
    """One line on stderr; a name from outside cannot steer the terminal."""
    print(f"{_PROGRAM}: {visible(text)}", file=sys.stderr)


def _output_name(log: str) -> str:
    name = os.path.basename(os.path.normpath(log))
    stem = name[: -len(".darshan")] if name.endswith(".darshan") else name
    return f"{stem or 'darshan'}.pdf"


def _complain(path: str, error: LogError) -> None:
    text = str(error)
    _say(text if path in text else f"{path}: {text}")


def _report(path: str, limits: Limits) -> Report | None:
    try:
        with open_log(path) as log:
            return compose(log, limits)
    except LogError as error:
        _complain(path, error)
        return None


def _text(options: argparse.Namespace, limits: Limits) -> int:
    """Prints the screens of all logs."""
    status = 0
    for place, path in enumerate(options.logs):
        try:
            with open_log(path) as log:
                screen = list(terminal.lines(Context(log, limits), options.verbose))
        except LogError as error:
            _complain(path, error)
            status = 1
            continue
        if len(options.logs) > 1:
            screen = [f"{visible(path)}:", *screen]
        text = "\n".join([*([""] if place else []), *screen, ""])
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status: 1 if anything was not made."""
    options = _arguments(arguments)
    try:
        limits = read_limits(options.thresholds) if options.thresholds else Limits()
        return _text(options, limits) if options.text else _pdfs(options, limits)
    except (LibraryMissing, LimitError) as error:
        _say(str(error))
        return 1


def _pdfs(options: argparse.Namespace, limits: Limits) -> int:
    status = 0
    jobs: list[tuple[str, list[Report]]] = []
    for path in options.logs:
        report = _report(path, limits)
        if report is None:
            status = 1
        elif options.output and jobs:
            jobs[0][1].append(report)
        else:
            target = options.output or _output_name(path)
            if any(target == other for other, _ in jobs):
                _say(f"{path}: {target} is the report of another log already; use -o")
                status = 1
            else:
                jobs.append((target, [report]))
    for target, reports in jobs:
        try:
            write_pdf(reports, target, keep=options.keep, use_latex=not options.no_latex, say=_say)
        except ImportError as error:
            _say(f"{error} (needs matplotlib for {sys.executable})")
            return 1
        except OSError as error:
            _say(f"cannot write {target}: {error.strerror or error}")
            return 1
        # As bytes: a name need not be text in the user's encoding.
        sys.stdout.buffer.write(os.fsencode(target) + b"\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
