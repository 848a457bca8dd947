"""Reads accounting logs of PBS and Torque, which have a line for each event of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .accounting import Refusals, Refused, batch_job, joules, moment, whole, word
from .host_lists import MOST

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]{1,2});([^;]*);(.*)")
_VALUE = re.compile(r'([\w.\-]+)=("(?:[^"\\]|\\.)*"|\S*)')
_KWH = 3.6e6  # joules
_STARTS, _ENDS = "S", "E"


def is_line(line: str) -> bool:
    """Returns whether a line has the form of an accounting log of PBS."""
    return _LINE.fullmatch(line) is not None


def _values(text: str) -> dict[str, str]:
    """Returns values such as "user=jane queue=long" by name. The first of two values with one name
    counts, because PBS writes its own names before those that users choose."""
    found: dict[str, str] = {}
    for name, value in _VALUE.findall(text):
        found.setdefault(name, value.strip('"'))
    return found


def _hosts(text: str) -> list[str]:
    """Returns the host names of node1/0*8+node2/0-7, each once."""
    return list(dict.fromkeys(part.split("/")[0] for part in text.split("+") if part))


def _row(job: str, found: dict[str, str], is_over: bool) -> dict[str, Any]:
    """Returns the row of a job. job: its id. found: the values of the line. is_over: whether the
    line is of its end. Raises Refused for invalid values."""
    started = moment(found.get("start"), "start")
    if started is None:
        raise Refused("has no start")
    identity = word(job, "job id", needed=True) or ""
    number = re.match(r"[0-9]{1,18}", identity)
    hosts = _hosts(found.get("exec_host", ""))
    nodes = found.get("unique_node_count") or found.get("Resource_List.nodect")
    # PBS Professional counts energy in kWh, Torque in joules.
    energy = joules(found.get("resources_used.energy"), _KWH)
    return batch_job(
        "pbs",
        user=word(found.get("user"), "user", needed=True),
        cluster=word(identity.partition(".")[2], "server"),
        job=identity,
        job_id=int(number[0]) if number else None,
        account=word(found.get("account"), "account"),
        project=word(found.get("project"), "project"),
        queue=word(found.get("queue"), "queue"),
        state=f"exit {word(found.get('Exit_status'), 'exit status')}" if is_over else "running",
        nodes=whole(nodes, "number of nodes") if nodes else len(hosts) or None,
        processors=whole(
            found.get("Resource_List.ncpus") or found.get("total_execution_slots"),
            "number of processors",
        ),
        hosts=",".join(hosts) if 0 < len(hosts) <= MOST else None,
        submitted=moment(found.get("ctime"), "ctime"),
        started=started,
        ended=moment(found.get("end"), "end") if is_over else None,
        energy_joules=joules(found.get("resources_used.energy_used")) if energy is None else energy,
    )


def rows(some: Iterator[tuple[int, str]], refused: Refusals) -> Iterator[dict[str, Any]]:
    """Yields a row for each begin and each end of a job. The lake replaces the row of the begin by
    that of the end. some: number and text of lines. Adds other lines, and lines with invalid
    values, to `refused`."""
    for number, line in some:
        found = _LINE.fullmatch(line)
        if found is None:
            refused.add(number, "is not a line of an accounting log")
        elif found[1] in (_STARTS, _ENDS):
            try:
                yield _row(found[2], _values(found[3]), found[1] == _ENDS)
            except Refused as why:
                refused.add(number, why)
