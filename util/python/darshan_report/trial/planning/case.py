"""The input of a remedy's plan(): a log and a finding. Its result: a plan."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from dataclasses import field

from ...classes import dataclass
from ...diagnose.facts import Facts
from ...diagnose.finding import Finding

_CGROUP = "/sys/fs/cgroup/memory"


def of_descriptor(rows: str, mode: str) -> str:
    """Returns rows "language: code" for a program that uses a descriptor and no stream: the given
    rows with another one for C, which makes a stream of the descriptor. rows: code for streams,
    separated by newlines. mode: argument of fdopen."""
    c = f'C: FILE *stream = fdopen(fd, "{mode}");  setvbuf(stream, room, _IOFBF, 1 << 20);'
    more = "  // static char room[1 << 20]; then only calls with the stream"
    others = [row for row in rows.split("\n") if not row.startswith("C: ")]
    return "\n".join([c + more, *others])


def free_memory() -> int:
    """Returns how many bytes of memory a new process can have: the least of what is available, of
    the limit of the address space, and of the control group's limit."""
    found = []
    with open("/proc/meminfo", encoding="ascii") as file:
        rows = dict(line.split(":") for line in file)
    found.append(int(rows["MemAvailable"].split()[0]) << 10)
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        found.append(limit)
    for path in (f"{_CGROUP}.max", f"{_CGROUP}/memory.limit_in_bytes"):
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                text = file.read().strip()
            found += [int(text)] if text.isdigit() else []
    return min(found)


@dataclass(frozen=True)
class Case:
    """The input of a remedy's plan(): the log (facts), the finding that the remedy may fix, the
    free memory, and whether runs may lose what they write."""

    facts: Facts
    finding: Finding | None  # None: no finding proposes the remedy
    memory: int  # bytes that are free
    in_copy: bool = False  # runs write to a copy, and to nothing else of the user


@dataclass(frozen=True)
class Plan:
    """How a remedy is applied to a run from outside, and the code that makes it permanent."""

    setting: str = ""  # value of the variable DARSHAN_TRY, by which the runtime applies the remedy
    variables: Mapping[str, str] = field(default_factory=dict)  # of the program's environment
    names: tuple[str, ...] = ()  # paths of files, for the runtime in DARSHAN_TRY_NAMES
    keep: str = ""  # lines "language: what to write"; a line without a language is for all
    opens: str = (
        ""  # pattern of the functions at whose call it is written; empty: the finding's line
    )
    costs: str = ""  # for a plan that only measures a cost: the name of the service ("durability")
    instead: str = ""  # what to do about these costs
