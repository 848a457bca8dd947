"""The HTML report on many jobs: a table of all jobs, each with a link to its own page."""

from __future__ import annotations

import os
import time
import urllib.parse
from collections.abc import Sequence

from ...measure import io_share
from ...show.output import write_text
from ...show.text import visible
from ...units import count, plural, seconds
from ..campaign import Job, frequent, together
from ..context import Context
from . import run
from .blocks import of_blocks, part
from .shell import page, text


class Pages:
    """The folder with one page per log, next to the page of all jobs."""

    def __init__(self, target: str) -> None:
        """Chooses the folder of the pages. target: path of the page of all jobs."""
        self._folder = f"{os.path.splitext(target)[0]}-logs"
        self._names: set[str] = set()

    def make(self, context: Context) -> str:
        """Writes the page of a log into the folder and returns its address, relative to the page of
        all jobs. Raises OSError."""
        os.makedirs(self._folder, exist_ok=True)
        stem = os.path.basename(context.log.path)
        stem = stem[: -len(".darshan")] if stem.endswith(".darshan") else stem
        name, number = f"{stem}.html", 1
        while name in self._names:  # logs in different folders may have the same name
            number += 1
            name = f"{stem}-{number}.html"
        self._names.add(name)
        write_text(run.render([run.run(context)]), os.path.join(self._folder, name))
        parts = (os.path.basename(self._folder), name)
        return "/".join(urllib.parse.quote(os.fsencode(part)) for part in parts)


def _row(job: Job) -> list[object]:
    start = time.strftime("%Y-%m-%d %H:%M", time.localtime(job.start))
    return [
        visible(job.program),
        job.job_id,
        visible(job.user) or str(job.user_id),
        start,
        job.processes,
        job.run_time,
        job.read,
        job.written,
        job.shares.files / job.shares.work if job.shares.work > 0 else 0,
        job.shares.all / job.shares.work if job.shares.work > 0 else 0,
        job.stake.run,
        "; ".join(dict.fromkeys(job.problems)) or "none",
        visible(job.path),
    ]


def _summary(jobs: Sequence[Job]) -> str:
    troubled = sum(1 for job in jobs if job.problems)
    shares = together(jobs)
    above = (
        [(io_share.all_layers(shares), f"of {io_share.OF_WORK} {io_share.ALL}")]
        if shares.above
        else []
    )
    figures = (
        (count(len(jobs)), plural(len(jobs), "job").partition(" ")[2]),
        (io_share.files(shares), f"of {io_share.OF_WORK} {io_share.FILES}"),
        *above,
        (count(troubled), "with a problem that can be changed"),
        (seconds(sum(j.stake.run for j in jobs)), "of run time at stake in the costliest of each"),
    )
    return "".join(
        f'<div class="figure"><b>{text(value)}</b> <span>{text(words)}</span></div>'
        for value, words in figures
    )


def render(jobs: Sequence[Job]) -> str:
    """Returns the HTML page of all jobs, in the order of `jobs`; without jobs, a page that says
    so."""
    title = "I/O of many jobs"
    if not jobs:
        return page(
            title, f"<main><h1>{title}</h1><p>No log could be read.</p></main>", {"runs": []}
        )
    troubles = of_blocks([frequent(list(jobs))]) if any(j.problems for j in jobs) else ""
    parts = (
        f'<h1>{title}</h1><div class="figures">{_summary(jobs)}</div>',
        '<div class="picture" id="trend"></div>',
        part("problems", "Problems by number of jobs", troubles, True) if troubles else "",
        part("jobs", "Jobs, the worst first", '<div id="jobs-table"></div>', True),
    )
    data = {
        "rows": [_row(job) for job in jobs],
        "pages": [job.page for job in jobs],
        "starts": [job.start for job in jobs],
    }
    body = f'<main id="main">{"".join(parts)}</main>'
    return page(title, body, {"runs": [], "campaign": data})
