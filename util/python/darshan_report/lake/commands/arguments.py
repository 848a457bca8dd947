"""The options of darshan collect, ask, lake, digest and serve.

They are separate from the code that needs pyarrow, because --help does not need it."""

from __future__ import annotations

import argparse
import calendar
import contextlib
import ipaddress
import os
import re
import time
from collections.abc import Sequence

from ...classes import dataclass
from .. import dates
from ..ask.ready.questions import BY_NAME, CHANGES

DASK = "dask://"  # prefix of a cluster's address
COLLECT, ASK, LAKE = "darshan collect", "darshan ask", "darshan lake"
DIGEST, SERVE = "darshan digest", "darshan serve"
_DAY = 86400.0  # seconds
KEY = "DARSHAN_LAKE_KEY"  # the variable with the key of --obfuscate
_LONGEST_KEY = 1 << 16  # characters
_WEBHOOK, _TOKEN = "DARSHAN_WEBHOOK", "DARSHAN_WEBHOOK_TOKEN"


def _name(text: str) -> str:
    """Returns a name in the form that the tables have: bytes that are not UTF-8 are escaped."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")


def _mode(text: str) -> int:
    if not re.fullmatch(r"0?6[046][046]", text):
        raise argparse.ArgumentTypeError(
            f"{text}: must be 06 and two of the digits 0, 4 and 6, such as 0640"
        )
    return int(text, 8)


def _key(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Returns the key that anonymizes names; "" if they are not anonymized. Ends the command after
    a usage error."""
    if options.obfuscate:
        parser.error("--obfuscate takes no key, because all users of this machine see command "
                     f"lines: write the key into a file for --key-file, or set {KEY}; name the "
                     "logs before --obfuscate")  # fmt: skip
    if options.obfuscate is None:
        if options.key_file is not None:
            parser.error("--key-file needs --obfuscate")
        return ""
    if options.key_file is None:
        key = os.environ.get(KEY, "")
        where = f"--obfuscate needs --key-file FILE, or a key in {KEY}"
    else:
        where = f"--key-file {options.key_file}"
        try:
            with open(options.key_file, encoding="utf-8", errors="surrogateescape") as file:
                key = file.read(_LONGEST_KEY).strip()
        except OSError as error:
            parser.error(f"{where}: {error.strerror}")
        where += ": has no key"
    if not key:
        parser.error(where)
    return key


def _size(text: str) -> int:
    """Returns the bytes of a size such as 500MiB or 4GiB; KB and KiB are both 1024 bytes, and so
    on. Raises ArgumentTypeError for other text."""
    found = re.fullmatch(r"([0-9]{1,15})(?:([KMGT])(?:i?B)?|B)?", text, re.IGNORECASE)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text}: must be a size like 500MiB or 4GiB")
    return int(found[1]) << 10 * (1 + "KMGT".index(found[2].upper()) if found[2] else 0)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if float(text) >= 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text}: must be a number of seconds, at least 0")


def _memory(parser: argparse.ArgumentParser, of: str, stopped: str) -> None:
    """Adds the option --memory. of: whose memory it is. stopped: words on what ends above it."""
    parser.add_argument("--memory", metavar="SIZE", default="2GB", help=f"memory of {of}; more "
                        f"data are written to temporary files (2GB); {stopped} has twice as much, "
                        "and 1 GiB")  # fmt: skip


def _timeout(parser: argparse.ArgumentParser, what: str, more: str) -> None:
    """Adds the option --timeout. what: it stops. more: words behind the time."""
    parser.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=0.0, help=f"stop "
                        f"{what} after so many seconds{more}; 0: never (0)")  # fmt: skip


def _limits(parser: argparse.ArgumentParser) -> None:
    """Adds the options that limit how much of a collector's time and memory one log or one user can
    use."""
    parser.add_argument("--log-bytes", metavar="SIZE", type=_size, default=4 << 30,
                        help="do not read a larger log; it becomes a row of the table problems "
                        "(4GiB)")  # fmt: skip
    parser.add_argument("--log-seconds", metavar="SECONDS", type=_seconds, default=300.0,
                        help="skip a log that takes more processor time to read; it becomes a row "
                        "of the table problems (300)")  # fmt: skip
    parser.add_argument("--user-bytes", metavar="SIZE", type=_size, default=8 << 30,
                        help="read at most so much of one user's logs, then search for logs of "
                        "other users again (8GiB)")  # fmt: skip
    parser.add_argument("--user-seconds", metavar="SECONDS", type=_seconds, default=600.0,
                        help="like --user-bytes, as seconds of processor time (600)")  # fmt: skip


_SERIES = ("time", "target", "mount", "read", "write", "operations")


def _columns(text: str) -> dict[str, str]:
    """Returns the file's column by the lake's name, from the option that maps columns of a time
    series: time=TIME,read=RBYTES. Raises ArgumentTypeError for other text."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, is_there, column = part.partition("=")
        if name not in _SERIES or name in found or not (column if is_there else name):
            words = ", ".join(_SERIES)
            raise argparse.ArgumentTypeError(f"{text}: must be NAME=COLUMN,...; names: {words}")
        found[name] = column or name
    if "time" not in found or not set(found) & {"read", "write", "operations"}:
        raise argparse.ArgumentTypeError(
            f"{text}: must name time, and at least one of read, write and operations"
        )
    return found


def _site_data(parser: argparse.ArgumentParser) -> None:
    """Adds the options for tables that do not come from logs: batch jobs and server load."""
    parser.add_argument("--scheduler", metavar="FILE", action="append", default=[],
                        help="also collect batch jobs (the table batch_jobs): output of sacct -P "
                        "or of flux jobs --json, or an accounting log of PBS; - is standard "
                        "input")  # fmt: skip
    parser.add_argument("--servers", metavar="FILE", action="append", default=[],
                        help="also collect what servers moved in each interval (the table "
                        "server_load): CSV or Parquet")  # fmt: skip
    parser.add_argument("--servers-columns", metavar="MAP", type=_columns,
                        default={"time": "time", "read": "read", "write": "write"},
                        help="columns of --servers, as time=TIME,mount=FS,target=OST,read=R,"
                        "write=W,operations=N (time,read,write)")  # fmt: skip
    parser.add_argument("--servers-mount", metavar="PATH", type=_name, help="where clients mount "
                        "the file system of --servers, if no column has it")  # fmt: skip
    parser.add_argument("--servers-values", choices=("amounts", "rates", "totals"),
                        default="amounts", help="of --servers: bytes in each interval (amounts), "
                        "in a second (rates), or since a server started (totals)")  # fmt: skip
    parser.add_argument("--servers-unit", metavar="SIZE", type=_size, default=1,
                        help="bytes that read and write of --servers count in, such as 1KiB "
                        "(1)")  # fmt: skip
    parser.add_argument("--servers-interval", metavar="SECONDS", type=_seconds, help="length of an "
                        "interval of --servers (the distance of its times)")  # fmt: skip


def collect(given: Sequence[str]) -> argparse.Namespace:
    """Returns the options of darshan collect. given: its arguments. Ends the command with status 2
    after a usage error."""
    parser = argparse.ArgumentParser(
        prog=COLLECT,
        description="Collects logs into a lake: tables of Parquet for DuckDB, Spark and others. "
        "Collects each log once, however often it is named.",
        epilog="Exit status: 0; 1 if some logs were not collected (for example, the disk is full): "
        "the lake is intact even then. Damaged logs are rows of the table problems.",
    )
    parser.add_argument("logs", nargs="*", metavar="LOG", help="a log, or a folder of logs; needed "
                        "unless there is --scheduler or --servers")  # fmt: skip
    parser.add_argument(
        "--into", metavar="LAKE", default=os.environ.get("DARSHAN_LAKE") or "darshan-lake",
        help="the folder of the lake, created if missing ($DARSHAN_LAKE, else ./darshan-lake)",
    )  # fmt: skip
    parser.add_argument(
        "--mode", metavar="MODE", type=_mode, help="mode of the lake's files (0640): 0600, 0640, "
        "0660, 0644 or 0664; folders also get x; changes an existing lake, too"
    )  # fmt: skip
    parser.add_argument(
        "--workers", metavar="N", default=str(len(os.sched_getaffinity(0))),
        help="processes that read logs (one per core); or a Dask cluster, as "
        "dask://HOST:PORT or dask:///PATH/OF/SCHEDULER.json",
    )  # fmt: skip
    parser.add_argument(
        "--traces", action="store_true", help="also collect traced transfers (the table dxt)"
    )
    parser.add_argument(
        "--read-programs", action="store_true", help="table sites: find functions and lines of "
        "native code in the programs and libraries that logs name, with eu-addr2line or addr2line"
    )  # fmt: skip
    parser.add_argument(
        "--no-findings",
        action="store_true",
        help="do not make the tables findings, epochs and checkpoints",
    )
    parser.add_argument(
        "--thresholds",
        metavar="FILE",
        help="read thresholds of findings from FILE: lines name = number",
    )
    parser.add_argument(
        "--process-rate", metavar="GIB", type=float, default=1024.0, help="GiB per second that a "
        "process can move at most (1024); if a log claims more, the bytes become null, and the "
        "table problems gets a row"
    )  # fmt: skip
    parser.add_argument(
        "--since",
        metavar="WHEN",
        help="only logs that changed since 2026-11-22 (in UTC), or within 7d, 12h",
    )
    parser.add_argument(
        "--follow", action="store_true", help="run until interrupted: search for new logs "
        "every minute (--every)"
    )  # fmt: skip
    parser.add_argument("--every", metavar="SECONDS", type=float, default=60.0,
                        help="seconds between two searches with --follow (60)")  # fmt: skip
    _limits(parser)
    parser.add_argument("--settle", metavar="SECONDS", type=_seconds, default=60.0,
                        help="skip a damaged log that changed within so many seconds, because it "
                        "may still be being copied; the next run collects it (60)")  # fmt: skip
    parser.add_argument(
        "--obfuscate", metavar="KEY", nargs="?", const="", help="anonymize: replace names of "
        "users, programs, files and hosts, and record ids, by hashes that need the key of "
        f"--key-file or ${KEY}; a KEY here is refused, because all users see command lines"
    )  # fmt: skip
    parser.add_argument("--key-file", metavar="FILE", help="--obfuscate: the file with the key, "
                        "which makes the same hashes each time")  # fmt: skip
    parser.add_argument(
        "--remove-collected", action="store_true", help="remove a log after its rows were "
        "read back from the lake, if the file is unchanged"
    )  # fmt: skip
    parser.add_argument(
        "--compact", action="store_true", help="afterwards run darshan lake compact, which "
        "combines small files"
    )  # fmt: skip
    _site_data(parser)
    options = parser.parse_args(given)
    if not options.logs and not options.scheduler and not options.servers:
        parser.error("name logs, or a folder of logs")
    if options.servers and not options.servers_mount and "mount" not in options.servers_columns:
        parser.error("--servers needs --servers-mount, or mount=COLUMN in --servers-columns")
    options.since = _moment(parser, "--since", options.since)
    options.obfuscate = _key(parser, options)
    _check_workers(parser, options.workers)
    if not 0 < options.process_rate <= 1 << 30:
        parser.error("--process-rate: must be a number of GiB per second above 0")
    if options.every <= 0:
        parser.error("--every: must be a number of seconds above 0")
    return options


def _check_workers(parser: argparse.ArgumentParser, workers: str) -> None:
    if workers.startswith(DASK):
        # A scheduler file, a URL with another protocol than TCP, a host and port, or nothing: then
        # Dask's own settings name the scheduler.
        if not re.fullmatch(r"(/.+|\w+://.+|(\[[\da-fA-F:]+\]|[^\s/:]+):\d{1,5})?",
                            workers[len(DASK):]):  # fmt: skip
            parser.error(f"--workers {workers}: must be {DASK}HOST:PORT, or {DASK} and the "
                         "absolute path of a scheduler file")  # fmt: skip
    elif not workers.isdecimal() or not 1 <= int(workers) <= 1024:
        parser.error(f"--workers {workers}: must be a number from 1 to 1024, or {DASK}HOST:PORT")


def _moment(parser: argparse.ArgumentParser, option: str, text: str | None) -> int:
    """Returns an option's time in nanoseconds since 1970; 0 without a text (None). text: a day or a
    minute in UTC, or an age such as 7d. Ends the command if the text is none of these."""
    if text is None:
        return 0
    ago = dates.span(text)
    if ago is not None:
        return int((time.time() - ago.total_seconds()) * 1e9)
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"):
        with contextlib.suppress(ValueError):
            return calendar.timegm(time.strptime(text, form)) * 10**9
    parser.error(
        f"{option} {text}: must be a day (2026-11-22, in UTC) or a time span ({dates.AGO})"
    )


def _span(parser: argparse.ArgumentParser, option: str, text: str) -> float:
    """Returns the seconds of an option's time span (24h, 7d, 8w or 2y). Ends the command if the
    text is not a time span."""
    found = dates.span(text)
    if found is None:
        parser.error(f"{option} {text}: must be a time span like {dates.AGO}")
    return found.total_seconds()


_LAKE = "the lake; $DARSHAN_LAKE, else ./darshan-lake"


def lake(given: Sequence[str]) -> argparse.Namespace:
    """Returns the options of darshan lake. given: its arguments. Ends the command with status 2
    after a usage error."""
    parser = argparse.ArgumentParser(
        prog=LAKE,
        description="Inspects and maintains a lake that darshan collect has made.",
        epilog="WHAT is one of: info (prints what the lake contains), check (tests whether the "
        "lake is whole, and reads a part of it, or with --deep every file), compact (combines "
        "small files, sorted by day), "
        "prune (removes the rows of old jobs, or of a user), publish (makes the tables readable as "
        "Delta Lake tables, and keeps them up to date), sweep (removes replaced files and "
        "files of killed collectors when they are old enough), views (prints views of the "
        "committed tables in the SQL of Spark). Collectors and readers may run at the same time. "
        "Exit status: 0; 1 if the lake is not whole, or if the command failed.",
    )
    parser.add_argument("what", choices=("info", "check", "compact", "prune", "publish",
                                              "sweep", "views"),
                        metavar="WHAT", help="see below")  # fmt: skip
    parser.add_argument("lake", nargs="?", metavar="LAKE", help=_LAKE,
                        default=os.environ.get("DARSHAN_LAKE") or "darshan-lake")  # fmt: skip
    parser.add_argument("--deep", action="store_true", help="check: read every file")
    parser.add_argument("--part", metavar="SIZE", type=_size, default=2 << 30, help="check: "
                        "without --deep, compare the contents of files of so many bytes in all; "
                        "each check continues where the last one ended (2GiB)")  # fmt: skip
    parser.add_argument("--older", metavar="TIME", help="prune: remove jobs that are older: "
                        "2y, 90d; at least a day")  # fmt: skip
    parser.add_argument(
        "--user", metavar="NAME", type=_name, help="prune: remove all rows of a user for ever; the "
        "name is that of the column user"
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="prune: only print what would be "
                        "removed")  # fmt: skip
    parser.add_argument("--every", metavar="TIME", help="publish: collectors publish at most so "
                        "often (1h); 0h: at each commit")  # fmt: skip
    parser.add_argument("--off", action="store_true", help="publish: stop publishing, and remove "
                        "the logs of the Delta tables")  # fmt: skip
    parser.add_argument(
        "--grace", metavar="TIME", default="24h", help="sweep, compact: keep replaced files "
        "for this time, because readers may use them (24h); unfinished files stay at least an hour"
    )  # fmt: skip
    _timeout(parser, "the command", "; what it has committed remains, and the next call goes on")
    options = parser.parse_intermixed_args(given)
    options.grace = _span(parser, "--grace", options.grace)
    if options.what == "prune" and (options.older is None) == (options.user is None):
        parser.error("prune needs either --older TIME or --user NAME, not both")
    if options.older is not None:
        text, options.older = options.older, _span(parser, "--older", options.older)
        if options.older < _DAY:
            parser.error(f"--older {text}: must be at least a day (1d); to remove all jobs, remove "
                         "the folder")  # fmt: skip
    if options.every is not None:
        options.every = _span(parser, "--every", options.every)
    if (options.every is not None or options.off) and options.what != "publish":
        parser.error("--every and --off are options of publish")
    if options.every is not None and options.off:
        parser.error("--every and --off exclude each other")
    if options.dry_run and options.what != "prune":
        parser.error("--dry-run is an option of prune")
    return options


_FORMS = (".csv", ".json", ".parquet")


@dataclass(frozen=True)
class Webhook:
    """The address to which changes are posted, and the token that is sent with them; "": none."""

    address: str
    token: str


def _webhook(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Webhook | None:
    """Returns the webhook to which changes are posted; None if the options name none. Ends the
    command after a usage error."""
    if options.webhook_file is None and not options.webhook:
        return None
    if options.question != CHANGES:
        parser.error(f"--webhook and --webhook-file need the question {CHANGES}")
    if options.webhook_file is None:
        found = Webhook(os.environ.get(_WEBHOOK, "").strip(), os.environ.get(_TOKEN, "").strip())
        where = f"--webhook needs the address in {_WEBHOOK}; or use --webhook-file FILE"
    else:
        where = f"--webhook-file {options.webhook_file}"
        try:
            with open(options.webhook_file, encoding="utf-8", errors="surrogateescape") as file:
                lines = [*map(str.strip, file.read(_LONGEST_KEY).split("\n")), "", ""]
        except OSError as error:
            parser.error(f"{where}: {error.strerror}")
        found = Webhook(lines[0], lines[1])
        where += ": the first line must be the address"
    if not found.address:
        parser.error(where)
    if not found.token.isascii() or (found.token and not found.token.isprintable()):
        parser.error("the token of the webhook has characters that HTTP headers do not allow")
    return found


def ask(given: Sequence[str]) -> argparse.Namespace:
    """Returns the options of darshan ask. given: its arguments. Ends the command with status 2
    after a usage error."""
    parser = argparse.ArgumentParser(
        prog=ASK,
        description="Queries a lake with a predefined question or with SQL over its tables. "
        "Without "
        "QUESTION, lists the questions.",
        epilog=f"QUESTION is one of: {', '.join((*BY_NAME, CHANGES))}. The ending of OUT "
        "(.csv, .json, .parquet) selects the format unless an option does. Exit status: 0; 1 if "
        "the query failed or was stopped; 2 for a usage error. For changes: 1 if it lists any, 2 "
        "if it failed; with --webhook: 0 also if it has posted them, 1 if it could not.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="a predefined question")
    parser.add_argument(
        "--sql", metavar="SQL", help="a query in SQL; it can read only the tables of the lake, "
        "and write nothing"
    )  # fmt: skip
    parser.add_argument(
        "--with", dest="beside", metavar="FILE", action="append", default=[],
        help="another table for --sql: accounts.csv (or .json, .parquet) is the table accounts"
    )  # fmt: skip
    parser.add_argument("--since", metavar="DAY", help="jobs of this day and later: 2026-11-22, "
                        "or an age: 7d, 8w, 2y; days in UTC")  # fmt: skip
    parser.add_argument("--until", metavar="DAY", help="jobs of this day and before")
    parser.add_argument("--user", metavar="NAME", type=_name, help="jobs of a user")
    parser.add_argument("--program", metavar="NAME", type=_name, help="jobs of a program")
    parser.add_argument("--top", metavar="N", type=int, default=20, help="number of rows (20)")
    parser.add_argument("--date", metavar="DAY", help="before-after: the day of the change")
    parser.add_argument("--from", dest="from_", metavar="TIME", help="between: 2026-11-22T03:30, "
                        "or 12h for twelve hours ago")  # fmt: skip
    parser.add_argument("--to", dest="to_", metavar="TIME", help="between: the end, in UTC")
    parser.add_argument(
        "--name", metavar="PATTERN", type=_name, help="files: pattern of names; %% matches any text"
    )
    parser.add_argument("--job", metavar="ID", help="job, run: the number of a batch job, or a log "
                        "as the tables name it")  # fmt: skip
    parser.add_argument("--least", metavar="N", type=int, help="before-after, drift, outliers, "
                        "slow-with-others, nodes: number of runs from which on a program is "
                        "compared (3, 3, 8, 8, 8); changes: the same (10); data-sets: number of "
                        "jobs (2)")  # fmt: skip
    parser.add_argument("--verify", action="store_true", help="first compare the contents of all "
                        "files that the query may read with what was written")  # fmt: skip
    to = parser.add_mutually_exclusive_group()
    to.add_argument("--webhook", action="store_true", help="changes: if there are any, also post "
                    f"them as JSON to the address in {_WEBHOOK}, with the token in {_TOKEN} if it "
                    "is set")  # fmt: skip
    to.add_argument("--webhook-file", metavar="FILE", help="the same, with the address in the "
                    "first line of FILE, and the token in the second one")  # fmt: skip
    forms = parser.add_mutually_exclusive_group()
    for form in ("csv", "json", "parquet"):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form,
                           help=f"write the result as {form.upper()}")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="the file to write")
    _memory(parser, "the query", "a query is stopped when the command")
    _timeout(parser, "the query", ", until the last row is written")
    options = parser.parse_intermixed_args(given)
    if options.form is None:
        ending = os.path.splitext(options.output)[1].lower()
        options.form = ending[1:] if ending in _FORMS else "table"
    options.webhook = _webhook(parser, options)
    # For `changes`, 1 says that changes were found, as in darshan compare, and 2 that the command
    # failed.
    options.failed = 2 if options.question == CHANGES else 1
    if options.question is not None and options.sql is not None:
        parser.error("QUESTION and --sql exclude each other")
    if options.beside and options.sql is None:
        parser.error("--with needs --sql")
    if options.top < 1:
        parser.error(f"--top {options.top}: must be a number of at least 1")
    return options


def digest(given: Sequence[str]) -> argparse.Namespace:
    """Returns the options of darshan digest. given: its arguments. Ends the command with status 2
    after a usage error."""
    parser = argparse.ArgumentParser(
        prog=DIGEST,
        description="Writes the summary of a week of a lake as a text to send by mail: the "
        "programs that lose most time, the findings behind that, and advice for their users; file "
        "systems, compared with the week before; logs that could not be read.",
        epilog="A week goes from Monday to Sunday, in UTC. Exit status: 0, also for a week "
        "without jobs, whose text says so; 1 if no text was written; 2 for a usage error.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("--week", metavar="WEEK", nargs="?", default="last", const="last",
                        help="this or last (the last complete week, the default); else 2026-W47, "
                        "or a day in the week (2026-11-18, or 14d: fourteen days ago)")  # fmt: skip
    parser.add_argument("--top", metavar="N", type=int, default=10, help="number of programs (10)")
    parser.add_argument("--user", metavar="NAME", type=_name, help="only this user's jobs")
    parser.add_argument("--text", action="store_true", help="write plain lines for a mail "
                                                            "instead of "
                        "Markdown, as for an OUT that ends in .txt")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="the file to write")
    _memory(parser, "the queries", "the command is stopped when it")
    _timeout(parser, "the command", ", until the text is written")
    options = parser.parse_args(given)
    if options.top < 1:
        parser.error("--top: must be a number of at least 1")
    return options


def _is_here(address: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(address).is_loopback
    return False


def serve(given: Sequence[str]) -> argparse.Namespace:
    """Returns the options of darshan serve. given: its arguments. Ends the command with status 2
    after a usage error."""
    parser = argparse.ArgumentParser(
        prog=SERVE,
        description="Shows a lake in a browser: the week, programs by lost time, the runs of a "
        "program, "
        "what a user should change first, and each job. Never writes to the lake; runs until it is "
        "interrupted.",
        epilog="A proxy before this server decides who may see what (guide centre.md). Exit "
        "status: 1 if the server cannot start; 2 for a usage error.",
    )
    parser.add_argument("lake", metavar="LAKE", help="the lake")
    parser.add_argument("--port", metavar="N", type=int, default=8642, help="port (8642); 0: any "
                        "free port, which the first line names")  # fmt: skip
    parser.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1", help="a numeric "
                        "address of this machine (127.0.0.1)")  # fmt: skip
    parser.add_argument("--allow-remote", action="store_true", help="allow --bind with an "
                                                                    "address that "
                        "other machines reach: all their users can read everything")  # fmt: skip
    parser.add_argument("--name", metavar="HOST", action="append", default=[], help="another host "
                        "name for requests, for example of a proxy; may be repeated")  # fmt: skip
    parser.add_argument("--user-header", metavar="HEADER", default="", help="the header in which a "
                        "proxy names the user, whose own jobs the pages link to")  # fmt: skip
    parser.add_argument("--user", metavar="NAME", type=_name, help="show only this user's jobs")
    parser.add_argument("--memory", metavar="SIZE", default="2GB", help="memory of a query; "
                        "more data are written to temporary files (2GB); a page is given up when "
                        "the server has twice as much, and 1 GiB")  # fmt: skip
    parser.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=60.0, help="give up "
                        "a page that takes longer, with the status 504; 0: never (60)")  # fmt: skip
    options = parser.parse_args(given)
    if not 0 <= options.port < 65536:
        parser.error("--port: must be a number from 0 to 65535")
    try:
        ipaddress.ip_address(options.bind)
    except ValueError:
        parser.error(f"--bind {options.bind}: must be a numeric address: 127.0.0.1, ::1")
    if not options.allow_remote and not _is_here(options.bind):
        parser.error(
            f"--bind {options.bind}: other machines reach this address; add --allow-remote to "
            "allow it"
        )
    return options
