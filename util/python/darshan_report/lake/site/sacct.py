"""Reads the output of Slurm's `sacct -P`: a header, and a line for each job and each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..commit.storage import LakeError
from .accounting import Refusals, Refused, batch_job, jobs_begun, joules, moment, whole, word
from .host_lists import expanded

# Columns whose text users choose. A line feed in this text would make further lines, which look
# like jobs.
_OF_USERS = frozenset(
    ("jobname", "comment", "extra", "submitline", "workdir", "wckey", "container", "constraints",
     "licenses", "reason", "stdin", "stdout", "stderr", "reservation")
)  # fmt: skip
_NEEDED = ("user", "start", "end")
_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_MOST_ID = (1 << 63) - 1


def is_header(line: str) -> bool:
    """Returns whether a line is the header of sacct -P."""
    names = line.lower().split("|")
    return len(names) > 1 and ("jobid" in names or "jobidraw" in names)


def _checked(names: list[str]) -> None:
    """Raises LakeError if a column is needed and missing, or has text that users choose. names: of
    the columns."""
    users = sorted(_OF_USERS & set(names))
    if users:
        raise LakeError(
            f"the output of sacct has the column {users[0]}: users choose its text and could forge "
            "lines with it; leave it out of --format"
        )
    lacks = [name for name in _NEEDED if name not in names]
    if lacks:
        raise LakeError(
            f"the output of sacct lacks the column {lacks[0]}; use --format=JobID,JobIDRaw,Cluster,"
            "User,Account,Partition,State,NNodes,AllocCPUS,NodeList,Submit,Start,End,"
            "ConsumedEnergyRaw"
        )


def _energy(found: dict[str, str]) -> float | None:
    if found.get("consumedenergyraw"):
        return joules(found["consumedenergyraw"])
    text = found.get("consumedenergy") or ""
    unit = _UNITS.get(text[-1:], 1.0)
    return joules(text.rstrip("KMGT"), unit)


def _hosts(text: str | None) -> str | None:
    names = expanded(text) if text and text != "None assigned" else None
    return ",".join(names) if names else None


def _row(found: dict[str, str]) -> dict[str, Any] | None:
    """Returns the row of a job; None if it waits in a queue. found: values by column name. Raises
    Refused for invalid values."""
    started = moment(found["start"], "start")
    if started is None:
        return None
    raw = found.get("jobidraw") or found.get("jobid") or ""
    number = whole(raw, "job id", _MOST_ID) if raw.isdecimal() else None
    state = word(found.get("state"), "state")
    return batch_job(
        "slurm",
        user=word(found["user"], "user", needed=True),
        cluster=word(found.get("cluster"), "cluster"),
        job=word(found.get("jobid") or raw, "job id", needed=True),
        job_id=number,
        account=word(found.get("account"), "account"),
        queue=word(found.get("partition"), "partition"),
        state=state.split()[0] if state else None,  # CANCELLED by 1000
        nodes=whole(found.get("nnodes") or found.get("allocnodes"), "number of nodes"),
        processors=whole(found.get("alloccpus") or found.get("ncpus"), "number of processors"),
        hosts=_hosts(found.get("nodelist")),
        submitted=moment(found.get("submit"), "submit"),
        started=started,
        ended=moment(found["end"], "end"),
        energy_joules=_energy(found),
    )


def rows(
    header: str, some: Iterator[tuple[int, str]], refused: Refusals
) -> Iterator[dict[str, Any]]:
    """Yields the rows of jobs that have begun; leaves out steps of jobs. header: the first line,
    without its newline. some: number and text of the other lines. Raises LakeError if the header
    lacks a needed column, or has a column with text that users choose."""
    names = header.lower().split("|")
    _checked(names)
    ids = [names.index(name) for name in ("jobid", "jobidraw") if name in names]

    def is_step(values: list[str]) -> bool:
        found = [values[place].strip() for place in ids if place < len(values)]
        return len(values) == len(names) and "." in next(filter(None, found), "")

    def row_of(values: list[str]) -> dict[str, Any] | None:
        if len(values) != len(names):
            raise Refused(f"has {len(values)} fields, the header has {len(names)}")
        return _row(dict(zip(names, map(str.strip, values))))

    split = ((number, line.split("|")) for number, line in some)
    jobs = ((number, values) for number, values in split if not is_step(values))
    yield from jobs_begun(jobs, row_of, refused)
