"""The options of darshan collect and the other commands of lakes.

They are separate from the code that needs pyarrow, because --help does not need it.
"""

from __future__ import annotations

import argparse
import contextlib
import ipaddress
import os
import re
import time
from collections.abc import Sequence

from .. import when
from ..ask.questions import BY_NAME

DASK = "dask://"  # prefix of a cluster's address
COLLECT, ASK, LAKE = "darshan collect", "darshan ask", "darshan lake"
DIGEST, SERVE = "darshan digest", "darshan serve"
_DAY = 86400.0  # seconds


def _name(text: str) -> str:
    """Returns a name as the tables have it: bytes that are not UTF-8 are escaped."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")


def collect(given: Sequence[str]) -> argparse.Namespace:
    """Parses the command line of darshan collect."""
    parser = argparse.ArgumentParser(
        prog=COLLECT,
        description="Turns logs into a lake: tables of Parquet for DuckDB, Spark and others. "
        "Each log is taken once, however often it is named.",
        epilog="Exit status: 0; 1 if not all could be collected (no room, say): the lake is "
        "whole then, too. Damaged logs are rows of the table problems.",
    )
    parser.add_argument("logs", nargs="+", metavar="LOG", help="a log, or a folder of logs")
    parser.add_argument(
        "--into", metavar="LAKE", default=os.environ.get("DARSHAN_LAKE") or "darshan-lake",
        help="the lake, a folder, made if there is none ($DARSHAN_LAKE, else ./darshan-lake)",
    )  # fmt: skip
    parser.add_argument(
        "--workers", metavar="N", default=str(len(os.sched_getaffinity(0))),
        help="processes that read logs (one per core); or a Dask cluster, as "
        "dask://HOST:PORT or dask:///PATH/OF/SCHEDULER.json",
    )  # fmt: skip
    parser.add_argument(
        "--traces", action="store_true", help="traced transfers, too: the table dxt"
    )
    parser.add_argument("--no-findings", action="store_true", help="without the table findings")
    parser.add_argument(
        "--thresholds", metavar="FILE", help="other thresholds of findings: lines name = number"
    )
    parser.add_argument(
        "--since", metavar="WHEN", help="only logs changed since: 2026-11-22, or 7d, 12h ago"
    )
    parser.add_argument(
        "--follow", action="store_true", help="goes on for ever: looks for new logs every "
        "minute (--every)"
    )  # fmt: skip
    parser.add_argument("--every", metavar="SECONDS", type=float, default=60.0, help="see --follow")
    parser.add_argument(
        "--obfuscate", metavar="KEY", default="", help="names of users, programs, files and "
        "hosts become words that say nothing; the same with the same KEY"
    )  # fmt: skip
    parser.add_argument(
        "--remove-collected", action="store_true", help="removes a log after its rows were "
        "read back from the lake, and the file was found unchanged"
    )  # fmt: skip
    parser.add_argument(
        "--compact", action="store_true", help="afterwards darshan lake compact: small files "
        "become large ones"
    )  # fmt: skip
    options = parser.parse_args(given)
    options.since = _moment(parser, "--since", options.since)
    _check_workers(parser, options.workers)
    if options.every <= 0:
        parser.error("--every needs a number of seconds above 0")
    return options


def _check_workers(parser: argparse.ArgumentParser, workers: str) -> None:
    if workers.startswith(DASK):
        # A scheduler file, a URL with another protocol than TCP, a host and port, or nothing: then
        # Dask's own settings name the scheduler.
        if not re.fullmatch(r"(/.+|\w+://.+|(\[[\da-fA-F:]+\]|[^\s/:]+):\d{1,5})?",
                            workers[len(DASK):]):  # fmt: skip
            parser.error(f"--workers {workers}: {DASK}HOST:PORT, or {DASK} and the whole path "
                         "of a scheduler file")  # fmt: skip
    elif not workers.isdecimal() or not 1 <= int(workers) <= 1024:
        parser.error(f"--workers {workers}: a number from 1 to 1024, or {DASK}HOST:PORT, is "
                     "needed")  # fmt: skip


def _moment(parser: argparse.ArgumentParser, option: str, text: str | None) -> int:
    """Returns nanoseconds since the epoch; 0 if there is no text."""
    if text is None:
        return 0
    ago = when.span(text)
    if ago is not None:
        return int((time.time() - ago.total_seconds()) * 1e9)
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"):
        with contextlib.suppress(ValueError):
            return int(time.mktime(time.strptime(text, form)) * 1e9)
    parser.error(f"{option} {text}: neither a day (2026-11-22) nor how long ago ({when.AGO})")


def _span(parser: argparse.ArgumentParser, option: str, text: str) -> float:
    """Returns the seconds of 24h, 7d, 8w or 2y."""
    found = when.span(text)
    if found is None:
        parser.error(f"{option} {text}: how long is said like {when.AGO}")
    return found.total_seconds()


_LAKE = "the lake; $DARSHAN_LAKE, else ./darshan-lake"


def lake(given: Sequence[str]) -> argparse.Namespace:
    """Parses the command line of darshan lake."""
    parser = argparse.ArgumentParser(
        prog=LAKE,
        description="Looks after a lake: what darshan collect has made of logs.",
        epilog="WHAT is one of: info (what is in it), check (is it whole? with --deep all of it "
        "is read), compact (small files become large ones, sorted by day), prune (rows of old "
        "jobs, or of a user, go), sweep (removes what was replaced, and what killed collectors "
        "left, when it is old enough), views (prints its tables as views in the SQL "
        "of Spark, of what is committed now). Collectors and readers need not "
        "stop. Exit status: 0; 1 if the lake is not whole, or something could not be done.",
    )
    parser.add_argument("what", choices=("info", "check", "compact", "prune", "sweep", "views"),
                        metavar="WHAT", help="see below")  # fmt: skip
    parser.add_argument("lake", nargs="?", metavar="LAKE", help=_LAKE,
                        default=os.environ.get("DARSHAN_LAKE") or "darshan-lake")  # fmt: skip
    parser.add_argument("--deep", action="store_true", help="check: reads every file")
    parser.add_argument("--older", metavar="TIME", help="prune: jobs of days that are "
                        "longer ago: 2y, 90d; a day at least")  # fmt: skip
    parser.add_argument(
        "--user", metavar="NAME", type=_name, help="prune: all rows of a user, at once and for "
        "ever; as the column user has it"
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="prune: says what would go, and "
                        "leaves it")  # fmt: skip
    parser.add_argument(
        "--grace", metavar="TIME", default="24h", help="sweep, compact: how long what was "
        "replaced stays for those who read it (24h); what is being made stays an hour at least"
    )  # fmt: skip
    options = parser.parse_intermixed_args(given)
    options.grace = _span(parser, "--grace", options.grace)
    if options.what == "prune" and (options.older is None) == (options.user is None):
        parser.error("prune needs --older TIME or --user NAME")
    if options.older is not None:
        text, options.older = options.older, _span(parser, "--older", options.older)
        if options.older < _DAY:
            parser.error(f"--older {text}: a day is the least (1d); who wants all to go removes "
                         "the folder")  # fmt: skip
    if options.dry_run and options.what != "prune":
        parser.error("--dry-run is of prune")
    return options


_FORMS = (".csv", ".json", ".parquet")


def ask(given: Sequence[str]) -> argparse.Namespace:
    """Parses the command line of darshan ask."""
    parser = argparse.ArgumentParser(
        prog=ASK,
        description="Asks a lake: ready questions, or SQL over its tables. Without a question, "
        "says which there are.",
        epilog=f"QUESTION is one of: {', '.join(BY_NAME)}. OUT's ending (.csv, .json, .parquet) "
        "says which form it gets, unless an option does. Exit status: 0; 1 if there is no "
        "answer; 2 for a wrong use.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="a ready question")
    parser.add_argument(
        "--sql", metavar="SQL", help="a question of one's own; it reads the tables of the lake "
        "and no other file, and writes none"
    )  # fmt: skip
    parser.add_argument(
        "--with", dest="beside", metavar="FILE", action="append", default=[],
        help="for --sql, a table more: of accounts.csv (or .json, .parquet) one called accounts"
    )  # fmt: skip
    parser.add_argument("--since", metavar="DAY", help="jobs of this day and later: 2026-11-22, "
                        "or 7d, 8w, 2y ago; days are of UTC")  # fmt: skip
    parser.add_argument("--until", metavar="DAY", help="jobs of this day and before")
    parser.add_argument("--user", metavar="NAME", type=_name, help="jobs of a user")
    parser.add_argument("--program", metavar="NAME", type=_name, help="jobs of a program")
    parser.add_argument("--top", metavar="N", type=int, default=20, help="how many rows (20)")
    parser.add_argument("--date", metavar="DAY", help="before-after: the day of the change")
    parser.add_argument("--from", dest="from_", metavar="TIME", help="between: 2026-11-22T03:30, "
                        "or 12h ago")  # fmt: skip
    parser.add_argument("--to", dest="to_", metavar="TIME", help="between: the end; UTC")
    parser.add_argument(
        "--name", metavar="PATTERN", type=_name, help="files: names, %% stands for anything"
    )
    parser.add_argument("--least", metavar="N", type=int, help="runs that a program needs to be "
                        "compared, in before-after (3) and outliers (8)")  # fmt: skip
    forms = parser.add_mutually_exclusive_group()
    for form in ("csv", "json", "parquet"):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form,
                           help=f"the answer as {form.upper()}")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="a file for it")
    parser.add_argument("--memory", metavar="SIZE", default="2GB", help="what it may take, before "
                        "it goes to the disk (2GB)")  # fmt: skip
    options = parser.parse_intermixed_args(given)
    if options.form is None:
        ending = os.path.splitext(options.output)[1].lower()
        options.form = ending[1:] if ending in _FORMS else "table"
    if options.question is not None and options.sql is not None:
        parser.error("a QUESTION or --sql, not both")
    if options.beside and options.sql is None:
        parser.error("--with needs --sql")
    if options.top < 1:
        parser.error(f"--top {options.top}: a number from 1 on is needed")
    return options


def digest(given: Sequence[str]) -> argparse.Namespace:
    """Parses the command line of darshan digest."""
    parser = argparse.ArgumentParser(
        prog=DIGEST,
        description="A week of a lake as a text to send: programs that lose most, by which "
        "findings, what to tell their owners; file systems, against the week before; what "
        "could not be read.",
        epilog="A week goes from Monday to Sunday, in UTC. Exit status: 0, also for a week "
        "without jobs, of which the text says so; 1 if there is no text; 2 for a wrong use.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("--week", metavar="WEEK", nargs="?", default="last", const="last",
                        help="this or last (the last that is over, the default); else 2026-W47, or "
                        "a day in it (2026-11-18, or 14d ago)")  # fmt: skip
    parser.add_argument("--top", metavar="N", type=int, default=10, help="how many programs (10)")
    parser.add_argument("--user", metavar="NAME", type=_name, help="of this user's jobs alone")
    parser.add_argument("--text", action="store_true", help="plain lines for a mail instead of "
                        "Markdown; so does an OUT that ends in .txt")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="a file for it")
    options = parser.parse_args(given)
    if options.top < 1:
        parser.error("--top needs a number from 1 on")
    return options


def _is_here(address: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(address).is_loopback
    return False


def serve(given: Sequence[str]) -> argparse.Namespace:
    """Parses the command line of darshan serve."""
    parser = argparse.ArgumentParser(
        prog=SERVE,
        description="A lake in a browser: the week, programs by time lost, a program's runs, a "
        "user's page with what to change first, a job's page. Reads, never writes; goes on "
        "until it is ended.",
        epilog="Who may see what is the affair of a proxy in front of it (guide centre.md). Exit "
        "status: 1 if it cannot begin; 2 for a wrong use.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("--port", metavar="N", type=int, default=8642, help="where (8642); 0: "
                        "any that is free, as the first line says")  # fmt: skip
    parser.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1", help="an address of "
                        "this machine, as a number (127.0.0.1)")  # fmt: skip
    parser.add_argument("--allow-remote", action="store_true", help="that may be one that others "
                        "reach: everybody who does reads everything")  # fmt: skip
    parser.add_argument("--name", metavar="HOST", action="append", default=[], help="another name "
                        "that it is asked by, by a proxy, say; may be repeated")  # fmt: skip
    parser.add_argument("--user", metavar="NAME", type=_name, help="shows this user's jobs alone")
    parser.add_argument("--memory", metavar="SIZE", default="2GB", help="what a page may take, "
                        "before it goes to the disk (2GB)")  # fmt: skip
    options = parser.parse_args(given)
    if not 0 <= options.port < 65536:
        parser.error("--port needs a number from 0 to 65535")
    try:
        ipaddress.ip_address(options.bind)
    except ValueError:
        parser.error(f"--bind {options.bind}: an address is needed: 127.0.0.1, ::1")
    if not options.allow_remote and not _is_here(options.bind):
        parser.error(f"--bind {options.bind}: others reach it; say --allow-remote if they may")
    return options
