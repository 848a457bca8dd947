"""Many logs: a row per job, the worst first, and what changes over time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..diagnose.finding import PROBLEM
from ..diagnose.limits import Limits
from ..library import LogError
from ..log import open_log
from .context import Context
from .model import Block, Column, Heading, Paragraph, Plot, PlotRow, Report, Table
from .plots import style
from .text import shorten
from .units import amount, count, percent, plural, seconds, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROWS = 60  # jobs in the table; the others are in the sums
_FINDINGS = 20


@dataclass(frozen=True)
class Job:
    """What one log adds to the campaign."""

    path: str
    program: str
    job_id: int
    user_id: int
    user: str  # of the log's name, which the runtime gives; empty: it says none
    start: float  # seconds since the epoch
    run_time: float
    processes: int
    process_time: float  # seconds that they had: run time times processes, or what they lived
    read: float  # bytes of the lowest layers
    written: float
    io_time: float  # seconds in the lowest layers, all processes
    stake: float  # seconds of the costliest problem
    problems: tuple[str, ...]  # titles, costliest first
    page: str = ""  # where the log's own page is, relative to that of all jobs


def logs_in(paths: Sequence[str]) -> list[str]:
    """The logs that were named: files, and all .darshan files below folders."""
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
    """Who ran it, as the runtime names logs: <user>_<program>_id<job>-..."""
    found = re.match(r"([^_/]+)_.*_id\d+", os.path.basename(path))
    return found[1] if found and not found[1].isdecimal() else ""


def _job(path: str, limits: Limits, page: Callable[[Context], str]) -> Job:
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
            context.process_time,
            sum(f.read or 0 for f in base),
            sum(f.written or 0 for f in base),
            sum(f.time for f in base),
            problems[0].stake.seconds if problems else 0.0,
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
    """The jobs of all logs that can be read, the worst first; page: makes a log's own page."""
    jobs = []
    for number, path in enumerate(paths, 1):
        try:
            jobs.append(_job(path, limits, page))
        except LogError as error:
            complain(path, error)
        progress(number, len(paths))
    return sorted(jobs, key=lambda j: (-j.stake, -j.io_time, j.path))


def _row(job: Job) -> tuple[str, ...]:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(job.start))
    return (
        shorten(job.program, 18),
        day,
        count(job.processes),
        seconds(job.run_time),
        amount(job.read),
        amount(job.written),
        share(job.io_time, job.process_time),
        seconds(job.stake) if job.stake else "-",
        shorten(job.problems[0], 32) if job.problems else "none",
    )


def _table(jobs: list[Job]) -> Table:
    rights = ("Processes", "Run time", "Read", "Written", "In I/O", "At stake")
    columns = (
        Column("Program", code=True),
        Column("Start"),
        *(Column(t, right=True) for t in rights),
        Column("Costliest problem"),
    )
    left = len(jobs) - _ROWS
    note = (
        "In I/O: time in calls of the lowest layers, of run time times processes. At stake: "
        "seconds over all processes."
    ) + (f" {count(left)} more jobs are not shown." if left > 0 else "")
    return Table(columns, tuple(_row(j) for j in jobs[:_ROWS]), note)


def frequent(jobs: list[Job]) -> Table:
    """Which problems how many jobs have."""
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
    parts = [100 * min(1.0, j.io_time / j.process_time) if j.process_time else 0 for j in ordered]

    def draw(axes: Axes) -> None:
        troubled = [bool(j.problems) for j in ordered]
        for wanted, marker, label in ((False, "o", "no problem"), (True, "x", "a problem")):
            xs = [d for d, t in zip(days, troubled) if t is wanted]
            ys = [p for p, t in zip(parts, troubled) if t is wanted]
            look = {"facecolors": "none", "edgecolors": "#E69F00"}
            if marker == "x":
                look = {"color": "#0072B2"}
            axes.scatter(xs, ys, s=12, marker=marker, linewidths=0.8, label=label, **look)
        axes.set_ylim(0, 105)
        axes.set_xlabel("days since the first job")
        axes.set_ylabel("time in I/O, % of processes' time")
        style.legend(axes, 2)

    return Plot("Share of time in I/O, job by job", draw, 60, left=14, bottom=10, wide=True)


def _summary(jobs: list[Job]) -> Iterator[Block]:
    troubled = sum(1 for j in jobs if j.problems)
    whole, inside = sum(j.process_time for j in jobs), sum(j.io_time for j in jobs)
    yield Paragraph(
        f"{plural(len(jobs), 'job')}: {share(inside, whole)} of the processes' time went into "
        f"I/O; {count(troubled)} of them {'has' if troubled == 1 else 'have'} a problem that can "
        "be changed.",
        strong=True,
    )


def campaign(jobs: list[Job]) -> Report:
    """The report of many jobs, at least one."""
    blocks: list[Block] = [*_summary(jobs)]
    if any(j.problems for j in jobs):
        blocks += [Heading("Problems by number of jobs"), frequent(jobs)]
    blocks += [Heading("Jobs, the worst first"), _table(jobs)]
    if len(jobs) > 1:
        blocks += [Heading("Over time"), PlotRow((_trend(jobs),))]
    return Report("I/O of many jobs", blocks)
