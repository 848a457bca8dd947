"""The jobs of a campaign as JSON and CSV, one row per job."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from ..show.text import visible
from .campaign import Job

FORMAT, VERSION = "darshan-campaign", 1


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def row(job: Job) -> dict[str, Any]:
    """Returns the numbers of one job as a dictionary; an unknown number is None."""
    return {
        "log": visible(job.path),
        "program": visible(job.program),
        "job_id": job.job_id,
        "user": visible(job.user),
        "user_id": job.user_id,
        "start": _number(job.start),
        "run_seconds": _number(job.run_time),
        "processes": job.processes,
        "process_seconds": _number(job.shares.work),
        "bytes_read": job.read,
        "bytes_written": job.written,
        "io_seconds": _number(job.shares.files),
        "all_layers_seconds": _number(job.shares.all),
        "stake_seconds": _number(job.stake.seconds),
        "stake_run_seconds": _number(job.stake.run),
        "problems": list(job.problems),
    }


def as_json(jobs: Sequence[Job]) -> str:
    """Returns all jobs as JSON, in the order of `jobs`."""
    whole = {"format": FORMAT, "version": VERSION, "jobs": [row(job) for job in jobs]}
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(jobs: Sequence[Job]) -> str:
    """Returns all jobs as CSV with a heading, one row per job. The problems of a job are one cell,
    separated by semicolons; an unknown number is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = [row(job) for job in jobs]
    names = [
        "log", "program", "job_id", "user", "user_id", "start", "run_seconds", "processes",
        "process_seconds", "bytes_read", "bytes_written", "io_seconds", "all_layers_seconds",
        "stake_seconds", "stake_run_seconds", "problems",
    ]  # fmt: skip
    writer.writerow(names)
    for one in rows:
        one["problems"] = "; ".join(one["problems"])
        writer.writerow("" if one[name] is None else one[name] for name in names)
    return out.getvalue()
