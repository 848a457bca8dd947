"""Reads the output of `flux jobs -A -a --json`: an object with a list of jobs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from ..commit.storage import LakeError
from .accounting import Refusals, Refused, batch_job, jobs_begun, moment, whole, word
from .host_lists import expanded

_MOST_BYTES = 1 << 28
_MOST_ID = (1 << 63) - 1


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def _jobs(first: bytes, file: IO[bytes], path: str) -> list[Any]:
    """Returns the list of jobs in a file, each as JSON describes it. first: the first bytes of the
    file. Raises LakeError if it is too large or has no such list."""
    data = first + file.read(_MOST_BYTES + 1 - len(first))
    if len(data) > _MOST_BYTES:
        raise LakeError(f"cannot read {path}: more than 256 MiB; write shorter periods into "
                        "several files (--since)")  # fmt: skip
    try:
        found = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        words = str(error).partition("\n")[0]
        raise LakeError(f"cannot read {path}: it begins like JSON, but {words}") from None
    if isinstance(found, dict):
        found = found.get("jobs", [found])
    if not isinstance(found, list):
        raise LakeError(f"cannot read {path}: its jobs are not a list")
    return found


def _row(job: Any) -> dict[str, Any] | None:
    """Returns the row of a job; None if it waits in a queue. Raises Refused for invalid values."""
    if not isinstance(job, dict):
        raise Refused("is not an object")
    started = moment(job.get("t_run"), "t_run")
    if started is None:
        return None
    number = whole(job.get("id"), "id", _MOST_ID)
    hosts = expanded(str(job.get("nodelist") or ""))
    return batch_job(
        "flux",
        user=word(job.get("username") or job.get("userid"), "user", needed=True),
        job=word(job.get("id"), "id", needed=True),
        job_id=number,
        account=word(job.get("bank"), "bank"),
        project=word(job.get("project"), "project"),
        queue=word(job.get("queue"), "queue"),
        state=word(job.get("result") or job.get("state"), "state"),
        nodes=whole(job.get("nnodes"), "nnodes"),
        processors=whole(job.get("ncores"), "ncores"),
        hosts=",".join(hosts) if hosts else None,
        submitted=moment(job.get("t_submit"), "t_submit"),
        started=started,
        ended=moment(job.get("t_cleanup") or job.get("t_inactive"), "t_cleanup"),
    )


def rows(first: bytes, file: IO[bytes], path: str, refused: Refusals) -> Iterator[dict[str, Any]]:
    """Yields the rows of jobs that have begun. A refused job is reported by its number in the list.
    first: the first bytes of the file, which were already read. path: for messages. Raises
    LakeError if the file is too large or not such a list."""
    yield from jobs_begun(enumerate(_jobs(first, file, path), 1), _row, refused)
