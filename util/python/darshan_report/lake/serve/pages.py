"""The pages of many jobs: their queries and their layout."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...units import amount, count, plural, time_spent
from ..ask.engine import Asked
from ..ask.ready.questions import BY_NAME, Filters
from ..commit.storage import LakeError
from ..look.week import SUMS, Told, newest_day, of_day, rows, tell, told_openly
from ..look.week import named as week_of
from . import days, lineage, questions
from .blocks import Column, Made, Row, link, shares_of
from .lines import add_lines
from .request import Refused, Wanted, within

_MOST = 500  # rows of a table
_POINTS = 5000  # runs in a diagram
_CHANGES = 10
_NAMED = 3  # users of a program
_LINES = 50  # of a program
_SPAN = datetime.timedelta(days=91)  # time span if the request has no days
_ON_MOUNT = "on_mount"
_ONE_DAY = datetime.timedelta(days=1)
_UNKNOWN = datetime.date(1970, 1, 1)

_JOBS, _USERS = Column("Jobs", "count", "jobs"), Column("Users", "count", "users")
_MOVED = (Column("Read", "amount", "bytes_read"), Column("Written", "amount", "bytes_written"))
_IO, _LOST = Column("File I/O", "seconds", "io_seconds"), Column("Lost", "seconds", "lost_seconds")
_FINDING = Column("By which finding most", "text", "finding")
_UPPER = ("Lost is an upper bound. Lost and File I/O are times summed over all processes: 100 "
          "ranks have 100 s in each second.")  # fmt: skip
_NONE = "No job is like that in these days."
_EACH = ("File I/O is a time summed over all processes. Costliest is an upper bound of what the "
         "costliest problem takes of the processes' time.")  # fmt: skip
_RUNS = (
    Column("Started (UTC)", "date", "started"), Column("Program", "text", "program"),
    Column("User", "text", "user"), Column("Job", "id", "job_id"),
    Column("Ranks", "count", "nprocs"), Column("Run time", "seconds", "run_seconds"), *_MOVED, _IO,
    Column("Problems", "count", "problems"),
    Column("Costliest", "seconds", lambda row: row["stake_seconds"] or None),
)  # fmt: skip


def _part(row: Row) -> float | None:
    lost, whole = row.get("lost_seconds"), row.get("process_seconds")
    return lost / whole if lost is not None and whole else None


def _program(asked: Wanted) -> Callable[[Row], str]:
    return lambda row: asked.address("program", name=row["program"] or "", program=None)


def _user(asked: Wanted) -> Callable[[Row], str]:
    return lambda row: asked.address("user", name=row["user"] or "", user=None)


def _job(row: Row) -> str:
    day = row.get("day")  # with it, the page searches one day
    of_day = str(day) if day and day > _UNKNOWN else None
    return Wanted("", Filters(of_day, of_day)).address("job", log=row["log"])


def _figures(made: Made, sums: Row, of: str = "") -> None:
    """Adds the sums as numbers at the top of a page. of: "job", "program" or "user" if the page is
    about a single one, which is then not counted."""
    named = [
        (count(sums[f"{kind}s"]), plural(sums[f"{kind}s"], kind).partition(" ")[2])
        for kind in ("job", "program", "user") if kind != of
    ]  # fmt: skip
    made.figures(
        *named,
        (amount(sums["bytes_read"]), "read"),
        (amount(sums["bytes_written"]), "written"),
        *shares_of(sums["io_seconds"], sums["all_layers_seconds"], sums["process_seconds"]),
    )
    jobs = plural(sums["jobs"], "log")
    if sums["partial"]:
        made.say(f"{count(sums['partial'])} of {jobs} are incomplete.")
    if sums["not_looked"]:
        made.say(f"Findings were not computed for {count(sums['not_looked'])} of {jobs}.")


def _lacks(made: Made, told: Told) -> None:
    broken = [*told.broken, *told.undated]
    if broken:
        made.head("What could not be read")
        columns = (Column("Problem", "text", "problem"), Column("Logs", "count", "logs"),
                   Column("One of them", "path", "path"))  # fmt: skip
        made.table("broken", columns, broken[:_MOST],
                   note="Logs without a day belong to no week; each week lists them.")  # fmt: skip


def _first(owners: Sequence[Row]) -> str:
    """Returns text with the names of at most _NAMED users, and the number of the others. owners:
    those who lose most time first."""
    names = [str(o["user"]) for o in owners[:_NAMED]]
    left = len(owners) - _NAMED
    return ", ".join([*names, *([f"{left} more"] if left > 0 else [])])


def _last(asked: Wanted, newest: datetime.date) -> str:
    """Returns the last requested day on which the lake may have jobs. newest: the last day of the
    lake."""
    return min(str(newest), asked.filters.until or str(newest))


def _week(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    """Returns the page of a week. newest: the last day of the lake, whose week is shown unless the
    request names one."""
    try:
        week = week_of(asked.week or _last(asked, newest), newest)
    except LakeError as error:
        raise Refused(400, str(error)) from None
    chosen = _kept(lake, replace(asked.filters, since=str(week.before.first),
                                 until=str(week.last)))  # fmt: skip
    told = tell(lake, week, _MOST, chosen)
    here = replace(asked, filters=week.of(asked.filters), week=str(week.first))
    made = Made(here, f"Week {week.name}")
    later = of_day(week.last + _ONE_DAY)
    around = [
        link(f"{word}, {one.name}", asked.address("week", since=None, until=None, week=one.name))
        for word, one in (("the week before", week.before), ("after", later))
        if one.first <= newest
    ]
    made.add(f"<p>{'; '.join([f'{week.first} to {week.last}, in UTC', *around])}.</p>")
    made.filters((("week", "A day of the week"),))
    if not told.sums["jobs"]:
        only = asked.filters.user, asked.filters.program, asked.filters.mount
        like = " like that" if any(only) else ""
        made.say(f"The lake has no job{like} of this week; the newest job of the lake began on "
                 f"{newest}.", "strong")  # fmt: skip
        return made
    _figures(made, told.sums)
    days.add_moved(made, lake, chosen, ", in this week and the week before")
    made.head("Programs that lose most")
    columns = (Column("Program", "text", "program"), _JOBS,
               Column("Jobs that lose", "count", "costly"), _LOST,
               Column("Of its time", "share", _part), _FINDING,
               Column("Whose", "long", "whose"))  # fmt: skip
    losers = [
        {**vars(one), "finding": one.findings[0]["title"] if one.findings else "",
         "whose": _first(one.owners)}
        for one in told.losers
    ]  # fmt: skip
    made.table("programs", columns, losers, _program(made.asked), most=_MOST, note=_UPPER)
    made.head("File systems, against the week before")
    _mounts(made, [
        {**(now or before), "bytes_read": now.get("bytes_read"),
         "bytes_written": now.get("bytes_written"),
         "transfer_seconds": now.get("transfer_seconds"), "meta_seconds": now.get("meta_seconds"),
         "records": now.get("records"),
         "before": (before.get("bytes_read") or 0) + (before.get("bytes_written") or 0)}
        for now, before in told.file_systems
    ], (Column("Week before", "amount", "before"),))  # fmt: skip
    _lacks(made, told)
    return made


def _mounts(made: Made, found: list[Row], more: tuple[Column, ...] = ()) -> None:
    """Adds the table of mount points. more: further columns."""
    columns = (Column("Mount point", "text", "mount"), Column("Type", "text", "file_system"),
               *_MOVED, *more, Column("Records", "count", "records"),
               Column("Transfers", "seconds", "transfer_seconds"),
               Column("Metadata", "seconds", "meta_seconds"))  # fmt: skip

    def programs(row: Row) -> str | None:
        known = row["mount"] != "not known"
        return made.asked.address("programs", mount=row["mount"]) if known else None

    made.table(
        "mounts",
        columns,
        found,
        programs,
        most=_MOST,
        none=_NONE,
        note="By POSIX and STDIO; transfers and metadata are times summed over all processes.",
    )


def _programs(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    made = Made(asked, "Programs by time lost")
    made.filters()
    days.add_moved(made, lake, asked.filters)
    columns = (Column("Program", "text", "program"), _JOBS, _USERS, _LOST,
               Column("Of its time", "share", _part), _FINDING, _IO, *_MOVED)  # fmt: skip
    found = rows(lake, questions.PROGRAMS, asked.filters, top=_MOST)
    made.table("programs", columns, found, _program(asked), most=_MOST, note=_UPPER, none=_NONE)
    return made


def _users(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    made = Made(asked, "Users by time lost")
    made.filters()
    days.add_moved(made, lake, asked.filters)
    columns = (Column("User", "text", "user"), _JOBS, Column("Programs", "count", "programs"),
               _LOST, Column("Where to begin", "text", "begin_with"), _IO,
               Column("Moved", "amount", "bytes"))  # fmt: skip
    found = rows(lake, BY_NAME["users"], asked.filters, top=_MOST)
    made.table("users", columns, found, _user(asked), most=_MOST, note=_UPPER, none=_NONE)
    return made


def _file_systems(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    made = Made(asked, "File systems")
    made.filters()
    days.add_moved_on_mounts(made, lake, asked.filters)
    _mounts(made, rows(lake, BY_NAME["file-systems"], asked.filters, top=_MOST))
    return made


def _last_jobs(lake: Asked, filters: Filters) -> list[Row]:
    """Returns the last _MOST jobs, the last first. The tables of sums tell how many days they span,
    so only jobs of these days are read."""
    if filters.mount is None and lake.has_sums():
        left = _MOST
        for day in rows(lake, questions.DAYS, filters):
            left -= day["jobs"]
            if left <= 0:
                found = rows(lake, questions.JOBS, replace(filters, since=str(day["day"])),
                             top=_MOST)  # fmt: skip
                # The day of a job without a begin is that of its file; this job comes after all
                # others.
                if len(found) == _MOST and found[-1]["started"] is not None:
                    return found
                break
    return rows(lake, questions.JOBS, filters, top=_MOST)


def _jobs(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    made = Made(asked, "Jobs, the last first")
    made.filters()
    found = _last_jobs(lake, asked.filters)
    made.table("jobs", _RUNS, found, _job, most=_MOST, note=_EACH, none=_NONE)
    return made


def _lines(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    made = Made(asked, "Lines of code by time in I/O calls")
    made.filters()
    days.add_in_lines(made, lake, asked.filters)
    add_lines(made, lake, asked.filters, _MOST, _program(asked))
    return made


def _changes(made: Made, found: list[Row], with_program: bool) -> None:
    """Adds the first finding as advice, then a table of all of them. found: the costliest first.
    with_program: whether to name programs."""
    if not found:
        made.say("No finding recommends a change.")
        return
    first = found[0]
    of = f"{first['program']}: " if with_program else ""
    worst = link("The job that it costs most", _job(first))
    box = Made(made.asked, "")
    box.head("Change first")
    lost = f"at most {time_spent(first['lost_seconds'])} of all processes, " * bool(
        first["lost_seconds"]
    )
    box.say(f"{of}{first['title']}: {lost}in {plural(first['jobs'], 'job')}.", "strong")
    if first["sentence"]:
        box.say(f"In one of these jobs: {first['sentence']}")
    box.say(f"Remedy: {first['remedy']}" if first["remedy"] else "No remedy is known.")
    box.example(first["example"])
    made.add(f'<div class="change">{"".join(box.parts)}<p>{worst}</p></div>')
    made.head("What costs, the costliest first")
    columns = (Column("Finding", "text", "title"),
               *((Column("Program", "text", "program"),) if with_program else ()), _JOBS, _LOST,
               Column("Remedy", "long", "remedy"))  # fmt: skip
    made.table("changes", columns, found, _job, most=_CHANGES,
               note=f"A finding leads to the job that it costs most. {_UPPER}")  # fmt: skip


def _of_one(
    lake: Asked, asked: Wanted, filters: Filters, title: str, with_program: bool
) -> tuple[Made, list[Row]]:
    """Returns the beginning that the pages of a program and of a user share, and their last jobs.
    with_program: whether to name programs, as on the page of a user."""
    made = Made(asked, title)
    made.filters()
    sums = rows(lake, SUMS, filters)[0]
    if not sums["jobs"]:
        made.say(_NONE, "strong")
        return made, []
    _figures(made, sums, "user" if with_program else "program")
    days.add_moved(made, lake, filters)
    found = told_openly(lake, rows(lake, questions.CHANGES, filters, top=_CHANGES))
    _changes(made, found, with_program)
    return made, _last_jobs(lake, filters)


def _one_program(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    name = asked.name or ""
    filters = replace(asked.filters, program=name)
    made, jobs = _of_one(lake, asked, filters, name or "(no name)", False)
    if jobs:
        of_it = asked.address("lineage", program=name)
        made.add(f"<p>{link('Who wrote what it reads, and who reads what it writes', of_it)}.</p>")
        made.head("Its runs over time")
        some = rows(lake, questions.SOME, filters, top=_POINTS)
        if len(some) == _POINTS:
            made.say(f"The diagram shows {count(_POINTS)} runs, evenly distributed over all.")
        made.add('<div class="picture" id="runs"></div>')
        made.data["runs"] = _points(some)
        made.head("Its lines of code, by time in I/O calls")
        add_lines(made, lake, filters, _LINES)
        made.head("Its runs, the last first")
        made.table("jobs", _RUNS, jobs, _job, most=_MOST, note=_EACH)
    return made


def _points(jobs: list[Row]) -> dict[str, list[object]]:
    """Returns the data of a program's diagram: lists with a value for each job, in order of
    time."""
    known = sorted(jobs, key=lambda j: j["seconds"])
    io = [j["io_seconds"] for j in known]
    return {
        "times": [j["seconds"] for j in known],
        "io": [value if value and math.isfinite(value) and value > 0 else None for value in io],
        "bytes": [(j["bytes_read"] or 0) + (j["bytes_written"] or 0) for j in known],
        "jobs": [str(j["job_id"]) for j in known],
        "starts": [j["started"].strftime("%Y-%m-%d %H:%M") for j in known],
    }


def _one_user(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    filters = replace(asked.filters, user=asked.name or "")
    made, jobs = _of_one(lake, asked, filters, f"User {asked.name}", True)
    if jobs:
        made.head("Programs")
        found = rows(lake, questions.PROGRAMS, filters, top=_MOST)
        columns = (Column("Program", "text", "program"), _JOBS, _LOST, _FINDING, _IO, *_MOVED)
        of_user = replace(asked, filters=filters)
        made.table("programs", columns, found, _program(of_user), most=_MOST, note=_UPPER)
        made.head("Jobs, the last first")
        made.table("jobs", _RUNS, jobs, _job, most=_MOST, note=_EACH)
    return made


def _lineage(lake: Asked, asked: Wanted, newest: datetime.date) -> Made:
    return lineage.render(lake, asked)


Page = Callable[[Asked, Wanted, datetime.date], Made]
PAGES: Mapping[str, Page] = {
    "": _week, "week": _week, "programs": _programs, "program": _one_program, "users": _users,
    "user": _one_user, "file-systems": _file_systems, "jobs": _jobs, "lines": _lines,
    "lineage": _lineage,
}  # fmt: skip


def _kept(lake: Asked, filters: Filters) -> Filters:
    """Stores the logs on the filters' mount point in a temporary table, because several queries of
    a page use them and each would otherwise read all records. Returns filters that use the
    table."""
    if filters.mount is None:
        return filters
    values = {**filters.where()[1], "mount": filters.mount}
    names = ("mount", "first", "last")
    used = {name: values[name] for name in names if name in values}
    lake.keep(_ON_MOUNT, f"SELECT DISTINCT log FROM ({filters.on_mount()})", used)
    return replace(filters, kept=_ON_MOUNT)


def render(lake: Asked, asked: Wanted) -> str:
    """Returns a page about many jobs as HTML. Raises Refused if the request is invalid, LakeError
    if a query fails."""
    newest = newest_day(lake)
    if newest is None:
        made = Made(asked, "An empty lake")
        made.say("The lake has no job with a known date yet.", "strong")
        return made.html(lake.hidden)
    make = PAGES[asked.page]
    if make in (_one_program, _one_user) and asked.name is None:
        raise Refused(400, "the address lacks a name")
    if make is not _week:
        asked = within(asked, newest - _SPAN, newest)
    if make not in (_week, _lineage):
        asked = replace(asked, filters=_kept(lake, asked.filters))
    return make(lake, asked, newest).html(lake.hidden)
