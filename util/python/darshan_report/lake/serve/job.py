"""The page of a job, and its report, which is generated from the log if the file still exists."""

from __future__ import annotations

import datetime
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from ...report import tried
from ...units import amount, count, plural, time_spent
from ..ask.engine import Asked
from ..ask.ready.questions import Filters
from ..look.week import rows, told_openly
from ..read import files
from . import questions
from .blocks import Column, Made, Row, link, shares_of
from .request import Refused, Wanted

_AROUND = datetime.timedelta(days=45)  # days around the job, for links to other runs
_SECONDS = 120  # limit of a report
_MADE = (0, 3)  # 3: the log is partial
_REPORT = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9); "  # killed if the server dies
    "sys.path.insert(0, sys.argv.pop(1)); "
    "from darshan_report.report.main import main; sys.exit(main())"
)
_FACTS: Sequence[tuple[str, str]] = (
    ("Command", "command"), ("User", "user"), ("Job", "job_id"), ("Started (UTC)", "started"),
    ("Ended (UTC)", "ended"), ("Ranks", "nprocs"), ("Hosts", "hosts"), ("Log", "path"),
    ("Library", "library"),
)  # fmt: skip
_LAYERS = (
    Column("Layer", "text", "layer"), Column("Records", "count", "records"),
    Column("Opens", "count", "opens"), Column("Reads", "count", "reads"),
    Column("Writes", "count", "writes"), Column("Read", "amount", "bytes_read"),
    Column("Written", "amount", "bytes_written"), Column("In reads", "seconds", "read_seconds"),
    Column("In writes", "seconds", "write_seconds"),
    Column("In other calls", "seconds", "meta_seconds"),
)  # fmt: skip


def _row(lake: Asked, asked: Wanted) -> Row:
    """Returns the row of a job in the table jobs. Searches the days that the address of the page
    names first, which is faster, and all days if these do not have the job. Raises Refused if the
    lake has no such job."""
    of_day = Filters(asked.filters.since, asked.filters.until)
    for filters in dict.fromkeys((of_day, Filters())) if asked.log else ():
        found = rows(lake, questions.JOB, filters, log=asked.log)
        if found:
            return found[0]
    raise Refused(404, "the lake has no job with this log")


def _problems(found: int | None) -> list[tuple[str, str]]:
    """Returns the number of problems with its label; [] if no rules ran on the log."""
    return [] if found is None else [(count(found), plural(found, "problem").partition(" ")[2])]


def _facts(made: Made, row: Row) -> None:
    """Adds the facts of a job, and links to pages about its program, user and files."""
    known = [(title, row[name]) for title, name in _FACTS if row[name] not in (None, "")]
    made.facts(*(
        (title, f"{value:%Y-%m-%d %H:%M:%S}" if hasattr(value, "strftime") else str(value))
        for title, value in known
    ))  # fmt: skip
    day = row["day"]
    days = (str(day - _AROUND), str(day + _AROUND)) if day else (None, None)
    all_of = Wanted("", Filters(*days))
    program = link("Runs of its program", all_of.address("program", name=row["program"] or ""))
    user = link("its user's page", all_of.address("user", name=row["user"] or ""))
    files = link("the jobs that it has files from and for",
                 all_of.address("lineage", log=row["log"]))  # fmt: skip
    made.add(f"<p>{program}, {user}, {files}.</p>")


def _tried(row: Row) -> str:
    """Returns a sentence on the result of `darshan try` for a remedy."""
    said = f"Tried: {row['remedy']}: "
    if row["result"] == tried.MEASURED:
        numbers = [row[name] or 0.0 for name in ("gain_seconds", "baseline_seconds", "ratio_low")]
        return f"Tried: {tried.cost(row['remedy'], *numbers)}."
    if not row["helped"]:
        return f"{said}{row['result']}."
    gained = f"{row['ratio']:.3g} x faster (at least {row['ratio_low']:.3g} x)"
    same = "same output, as far as it is compared" if row["compared_in_part"] else "same output"
    return f"{said}{gained}, {same}."


def _findings(made: Made, found: list[Row], trials: list[Row]) -> None:
    """Adds each problem of a job with its remedy and the trials of it, then the titles of its other
    findings."""
    for one in found:
        if one["kind"] != "problem":
            continue
        box = Made(made.asked, "")
        lost = f": at most {time_spent(one['stake_seconds'])} of all processes"
        same = f", which are those of \u201c{one['same_as']}\u201d" if one["same_as"] else ""
        box.say(f"{one['title']}{lost + same if one['stake_seconds'] else ''}.", "strong")
        if one["sentence"]:
            box.say(one["sentence"])
        if one["remedy"]:
            box.say(f"Remedy: {one['remedy']}")
            box.example(one["example"])
        for row in trials:
            if row["rule"] == one["rule"]:
                box.say(_tried(row))
        made.add(f'<div class="change">{"".join(box.parts)}</div>')
    rest = [one["title"] for one in found if one["kind"] != "problem"]
    if rest:
        made.say(f"Besides: {'; '.join(dict.fromkeys(rest))}.")


def render(lake: Asked, asked: Wanted) -> str:
    """Returns the page of a job as HTML. Raises Refused if the lake has no such job, LakeError if a
    query fails."""
    row = _row(lake, asked)
    day = str(row["day"]) if row["day"] else None
    same_day = Filters(day, day)
    number = f", job {row['job_id']}" if row["job_id"] is not None else ""
    # Links to other pages are not about the day of the job alone.
    made = Made(replace(asked, filters=Filters()), f"{row['program'] or '(no name)'}{number}")
    whole = row["process_seconds"]
    inside = row["io_seconds"]
    if inside is None:
        inside = sum(row[f"{kind}_seconds"] or 0 for kind in ("read", "write", "meta"))
    made.figures(
        (time_spent(row["run_seconds"]), f"run time, {plural(row['processes'] or 1, 'process')}"),
        *shares_of(inside, row["all_layers_seconds"], whole),
        (amount(row["bytes_read"]), "read"), (amount(row["bytes_written"]), "written"),
        *_problems(row["problems"]),
    )  # fmt: skip
    if lake.hidden:
        made.say(
            "This page has no link to the report, because a report shows the names that the lake "
            "anonymizes."
        )
    elif not os.path.isfile(row["path"] or ""):
        made.say(
            "The log was moved or removed after it was collected, so there is no report of it."
        )
    else:
        address = Wanted("", same_day).address("report", log=row["log"])
        made.add(f"<p>{link('The report of the log', address)}, made on request.</p>")
    _facts(made, row)
    if row["partial"]:
        made.say("The log is incomplete.", "warning")
    for broken in rows(lake, questions.BROKEN, same_day, log=asked.log):
        made.say(f"Cannot read {broken['module'] or 'the log'}: {broken['problem']}", "warning")
    made.head("What to change")
    found = told_openly(lake, rows(lake, questions.FINDINGS, same_day, log=asked.log))
    if not found:
        known = row["problems"] is not None
        made.say("Nothing was found." if known else "Findings were not computed.")
    _findings(made, found, rows(lake, questions.TRIALS, same_day, log=asked.log))
    made.head("Layers")
    made.table("layers", _LAYERS, rows(lake, questions.LAYERS, same_day, log=asked.log))
    return made.html(lake.hidden)


def log_of(lake: Asked, asked: Wanted) -> str:
    """Returns the path of the requested log; "" if the tables have none for it. Raises Refused if
    the lake has no such job, or if its names are anonymized."""
    if lake.hidden:
        raise Refused(403, "the lake has anonymized names, and a report would show the real ones")
    path: str = _row(lake, asked)["path"] or ""
    return path


def report(path: str, log: str) -> bytes:
    """Returns the report of a log as HTML. A separate process makes it, so that its memory and
    crashes do not affect the server. path: of the file. log: identity. Raises Refused if the file
    is gone or is not the log that was collected, and if no report could be made."""
    try:
        # Reading a pipe would block.
        if not stat.S_ISREG(os.stat(path).st_mode) or files.identity(path)[0].text != log:
            raise Refused(404, "the file is not the log that was collected")
    except (OSError, ValueError):
        raise Refused(404, "the log was moved or removed, or cannot be read") from None
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    command = [sys.executable, "-c", _REPORT, package, "--html", "-o", "-", os.path.abspath(path)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Refused(503, f"making the report took more than {_SECONDS} s") from None
    if done.returncode not in _MADE or not done.stdout:
        raise Refused(500, "cannot make a report of the log")
    return done.stdout
