"""The command darshan report (darshan-job-summary): its options and exit status."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from ..diagnose.limits import LimitError, Limits, read_limits
from ..diagnose.reference import VARIABLE, problem
from ..diagnose.thresholds import LIMITS
from ..library import LibraryMissing
from ..show import signal_exit
from ..show.output import write_text
from ..show.text import visible
from .documents import PROGRAM, Documents, say

_FORMS = ("pdf", "html", "json", "csv", "text")
_ENDINGS = {".pdf": "pdf", ".html": "html", ".htm": "html", ".json": "json", ".csv": "csv",
            ".txt": "text"}  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Makes a report from Darshan logs: what I/O the application did, and what to "
        "change.",
        epilog="Without -o, the report of a LOG has LOG's name with the ending .pdf (or that of "
        "the "
        "format) and is in the current folder; --text writes to standard output.  OUT's ending "
        "(.pdf, .html, .json, .csv, .txt) selects the format unless an option does.  As first "
        "option, --transfers LOG analyzes traces (darshan-dxt-analyzer), --per-file DIR LOG makes "
        "a report of each file in the log (darshan-summary-per-file), and --python-path prints "
        "where Python finds darshan_report.  Exit status: 0; 1 if a report was not made; 2 for a "
        "usage error; 3 if all reports were made, but a log is incomplete: its application still "
        "runs or was killed, its memory for records was full, or it is damaged.  "
        f"{VARIABLE} is the address or the folder of the documentation's site, to which findings "
        "link.",
    )
    parser.add_argument(
        "logs", nargs="*", metavar="LOG", help="a log, the journal of a process, or (with "
        "--campaign) a folder"
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="one file for all logs, one after another; - is "
        "standard output (for a PDF, only if that is not a terminal)"
    )  # fmt: skip
    _add_forms(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="with --text: also print evidence and good findings",
    )
    parser.add_argument(
        "--brief", action="store_true", help="with --text: print a line per problem"
    )
    parser.add_argument(
        "--lines", metavar="N", type=int, default=8,
        help="with --brief: print at most N lines (default: %(default)s)"
    )  # fmt: skip
    parser.add_argument(
        "--thresholds",
        metavar="FILE",
        help="read thresholds of findings from FILE: lines name = number",
    )
    parser.add_argument(
        "--open", action="store_true", help="show the report in a browser (BROWSER, else "
        "xdg-open), as a web page unless OUT or an option selects PDF"
    )  # fmt: skip
    parser.add_argument(
        "--list-thresholds", action="store_true", help="print all thresholds with their sources"
    )
    parser.add_argument(
        "--keep", metavar="DIR", help="keep the LaTeX source, its log and the figures in DIR"
    )
    parser.add_argument(
        "--no-latex",
        action="store_true",
        help="make the PDF without LaTeX even if LaTeX is installed",
    )
    return parser


def _add_forms(parser: argparse.ArgumentParser) -> None:
    """Adds the options that select the format, and those for reports of several logs."""
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--pdf", action="store_true", help="write a PDF, whatever the ending of OUT")
    kinds.add_argument("--html", action="store_true", help="write one HTML file for a browser")
    kinds.add_argument("--json", action="store_true", help="write the report as JSON")
    kinds.add_argument("--csv", action="store_true", help="write the report as lines: path, value")
    kinds.add_argument(
        "--text", action="store_true", help="print findings and layers on the terminal"
    )
    parser.add_argument(
        "--sources", action="store_true", help="with --html: show the source lines with I/O, and "
        "the lines around them, of the three files with most time; everyone who receives the "
        "page can read them"
    )  # fmt: skip
    several = parser.add_mutually_exclusive_group()
    several.add_argument(
        "--compare",
        action="store_true",
        help="report what changed from the first log to the second",
    )
    several.add_argument(
        "--campaign",
        action="store_true",
        help="report many logs in a row per job, the worst first; with "
        "--html, also make a page for each log in a folder next to the report",
    )


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.open and not options.output and not any(getattr(options, f) for f in _FORMS):
        options.html = True
    options.form = _form(parser, options)
    if options.open and (options.form not in ("pdf", "html") or options.output == "-"):
        parser.error("--open needs a PDF or a web page that is written to a file")
    if options.sources and (options.form != "html" or options.compare or options.campaign):
        parser.error("--sources is for a web page of logs, not for --compare or --campaign")
    if not options.logs and not options.list_thresholds:
        parser.error("the following arguments are required: LOG")
    if options.compare and len(options.logs) != 2:
        parser.error("--compare needs two logs")
    if options.compare and options.form in ("json", "csv"):
        parser.error("--compare cannot write JSON or CSV; use --json or --csv without it")
    return options


def _form(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Returns the format of the report: that of an option, else that of the output file's
    extension, else "pdf". Ends the command if the extension is unknown."""
    asked = next((form for form in _FORMS if getattr(options, form)), None)
    suffix = os.path.splitext(options.output or "")[1]
    if asked or not suffix:
        return asked or "pdf"
    form = _ENDINGS.get(suffix.lower())
    if form is None:
        parser.error(
            f"{visible(options.output)}: unknown ending {visible(suffix)}; use one of "
            f"{' '.join(_ENDINGS)}, or an option: {' '.join(f'--{f}' for f in _FORMS)}"
        )
    return form


def _list_thresholds() -> int:
    write_text(
        "".join(
            f"{row.name} = {row.value:g}  # {row.unit}: {row.meaning} ({row.source})\n"
            for row in LIMITS
        ),
        "-",
    )
    return 0


def _run(arguments: Sequence[str] | None) -> int:
    options = _arguments(arguments)
    if options.list_thresholds:
        return _list_thresholds()
    if said := problem():
        say(said)
    try:
        limits = read_limits(options.thresholds) if options.thresholds else Limits()
        return Documents(options, limits, options.form).make()
    except (LibraryMissing, LimitError) as error:
        say(str(error))
    except ImportError as error:
        say(f"{error} ({sys.executable} needs matplotlib; Debian: apt install python3-matplotlib)")
    return 1


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    try:
        return _run(arguments)
    finally:  # also after --help, which raises SystemExit
        if sys.stdout is not None:
            sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan report and returns its exit status. This is 0, 1 if a report was not made or not
    written, 3 if all were made but a log is incomplete; a usage error exits with 2. arguments: by
    default those of the process."""
    try:
        return _run_and_flush(arguments)
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)  # the reader of the output has closed the pipe
    except OSError as error:
        say(str(error) if error.filename else f"cannot write to standard output: {error.strerror}")
    # Else Python would print an error at exit about the unwritten output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


if __name__ == "__main__":
    sys.exit(main())
