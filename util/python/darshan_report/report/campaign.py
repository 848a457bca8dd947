"""The report on many logs (a campaign): one row per job, the worst first, and the I/O share over
time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..classes import dataclass
from ..diagnose.finding import PROBLEM, Stake
from ..diagnose.limits import Limits
from ..library import LogError
from ..log import open_log
from ..measure import io_share
from ..measure.shares import Shares
from ..show.model import Block, Column, Heading, Paragraph, Plot, PlotRow, Report, Table
from ..show.text import shorten
from ..units import amount, count, percent, plural, seconds
from .context import Context
from .plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROWS = 60  # jobs in the table; the sums include all jobs
_FINDINGS = 20


@dataclass(frozen=True)
class Job:
    """The numbers of one log, for the report on many logs (a campaign)."""

    path: str
    program: str
    job_id: int
    user_id: int
    user: str  # from the log's file name; empty if unknown
    start: float  # seconds since the epoch
    run_time: float  # seconds
    processes: int
    shares: Shares  # seconds in I/O, and of possible work
    read: float  # bytes of the lowest layers
    written: float
    stake: Stake  # potential saving of the costliest problem
    problems: tuple[str, ...]  # titles, costliest first
    page: str = ""  # link to the page of this log, relative to the page of all jobs


def logs_in(paths: Sequence[str]) -> list[str]:
    """Returns the given logs, and all files *.darshan at any depth below the given folders. paths:
    of logs and folders."""
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        for folder, inner, files in os.walk(path):
            inner.sort()
            found += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".darshan")]
    return found


def _user(path: str) -> str:
    """Returns the user in a log's file name, <user>_<program>_id<job>-...; "" if the name has
    another form."""
    found = re.match(r"([^_/]+)_.*_id\d+", os.path.basename(path))
    return found[1] if found and not found[1].isdecimal() else ""


def _job(path: str, limits: Limits, page: Callable[[Context], str]) -> Job:
    """Returns the numbers of the log at `path`. page: writes its page, and returns the page's
    address."""
    with open_log(path) as log:
        context = Context(log, limits)
        base = [f for f in context.figures if f.layer.base]
        problems = [f for f in context.findings if f.kind == PROBLEM]
        return Job(
            path,
            context.program or os.path.basename(path),
            context.info.jobid,
            context.info.uid,
            _user(path),
            context.info.start,
            context.run_time,
            context.number,
            context.shares,
            sum(f.read or 0 for f in base),
            sum(f.written or 0 for f in base),
            problems[0].stake if problems else Stake(),
            tuple(f.title for f in problems),
            page(context),
        )


def read(
    paths: Sequence[str],
    limits: Limits,
    progress: Callable[[int, int], None],
    complain: Callable[[str, LogError], None],
    page: Callable[[Context], str] = lambda _: "",
) -> list[Job]:
    """Reads many logs. Returns the jobs of the readable logs, the worst first. progress: called
    after each log with the number of logs read and of all logs. complain: called for a log that
    cannot be read. page: makes the page of a log and returns its address."""
    jobs = []
    for number, path in enumerate(paths, 1):
        try:
            jobs.append(_job(path, limits, page))
        except LogError as error:
            complain(path, error)
        progress(number, len(paths))
    return sorted(jobs, key=lambda j: (-j.stake.run, -j.shares.files, j.path))


def _row(job: Job) -> tuple[str, ...]:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(job.start))
    return (
        shorten(job.program, 18),
        day,
        count(job.processes),
        seconds(job.run_time),
        amount(job.read),
        amount(job.written),
        io_share.files(job.shares),
        io_share.all_layers(job.shares),
        seconds(job.stake.run) if job.stake.run else "-",
        shorten(job.problems[0], 28) if job.problems else "none",
    )


def _table(jobs: list[Job]) -> Table:
    rights = ("Processes", "Run time", "Read", "Written", "File I/O", "All layers", "At stake")
    columns = (
        Column("Program", code=True),
        Column("Start"),
        *(Column(t, right=True) for t in rights),
        Column("Costliest problem"),
    )
    left = len(jobs) - _ROWS
    note = (
        "File I/O: time in calls of the lowest layers; All layers: that and in the libraries "
        f"above, such as HDF5; both of {io_share.OF_WORK}, which is the lifetime of processes "
        "without the time in which they only waited. At stake: seconds of the run time."
    ) + (f" {count(left)} more jobs are not shown." if left > 0 else "")
    return Table(columns, tuple(_row(j) for j in jobs[:_ROWS]), note)


def frequent(jobs: list[Job]) -> Table:
    """Returns a table of the 20 most frequent problems: title, number of jobs, percentage of all
    jobs."""
    numbers: dict[str, int] = {}
    for job in jobs:
        for title in dict.fromkeys(job.problems):
            numbers[title] = numbers.get(title, 0) + 1
    order = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:_FINDINGS]
    columns = (Column("Problem"), Column("Jobs", right=True), Column("Of all", right=True))
    return Table(columns, tuple((t, count(n), percent(n, len(jobs))) for t, n in order))


def _trend(jobs: list[Job]) -> Plot:
    ordered = sorted(jobs, key=lambda j: j.start)
    first = ordered[0].start
    days = [(j.start - first) / 86400 for j in ordered]
    parts = [100 * j.shares.part for j in ordered]

    def draw(axes: Axes) -> None:
        troubled = [bool(j.problems) for j in ordered]
        for wanted, marker, label in ((False, "o", "no problem"), (True, "x", "a problem")):
            xs = [d for d, t in zip(days, troubled) if t is wanted]
            ys = [p for p, t in zip(parts, troubled) if t is wanted]
            look: dict[str, Any] = {"facecolors": "none", "edgecolors": "#E69F00"}
            if marker == "x":
                look = {"color": "#0072B2"}
            axes.scatter(xs, ys, s=12, marker=marker, linewidths=0.8, label=label, **look)
        axes.set_ylim(0, 105)
        axes.set_xlabel("days since the first job")
        axes.set_ylabel("I/O of all layers, % of working time")
        style.legend(axes, 2)

    return Plot("Share of time in I/O, job by job", draw, 60, left=14, bottom=10, wide=True)


def together(jobs: Sequence[Job]) -> Shares:
    """Returns the sums of the jobs' I/O times and working times."""
    return Shares(
        sum(j.shares.files for j in jobs),
        sum(j.shares.all for j in jobs),
        sum(j.shares.work for j in jobs),
        True,
    )


def _summary(jobs: list[Job]) -> Iterator[Block]:
    troubled = sum(1 for j in jobs if j.problems)
    shares = together(jobs)
    above = f", {io_share.all_layers(shares)} into I/O of all layers" if shares.above else ""
    yield Paragraph(
        f"{plural(len(jobs), 'job')}: {io_share.files(shares)} of the {io_share.OF_WORK} went into "
        f"file I/O{above}; {count(troubled)} of them {'has' if troubled == 1 else 'have'} a "
        "problem that can be changed.",
        strong=True,
    )


def campaign(jobs: list[Job]) -> Report:
    """Returns the report on these jobs, of which there must be at least one. jobs: the worst
    first."""
    blocks: list[Block] = [*_summary(jobs)]
    if any(j.problems for j in jobs):
        blocks += [Heading("Problems by number of jobs"), frequent(jobs)]
    blocks += [Heading("Jobs, the worst first"), _table(jobs)]
    if len(jobs) > 1:
        blocks += [Heading("Over time"), PlotRow((_trend(jobs),))]
    return Report("I/O of many jobs", blocks)
