"""Bytes and messages that processes passed to each other through pipes and sockets, by the kernel's
counts.

The runtime records calls on files, so no record of calls has these bytes. The kernel counts the
bytes and the calls of a process on any descriptor (/proc/PID/io, module USAGE). Bytes that recorded
files do not explain went through pipes or sockets. The time that this took is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...measure.files.streams import standard_ids
from ...measure.processes.processes import Processes
from ...measure.processes.usage import Usage
from ...records import among
from ..facts import Facts, once

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outside:
    """The bytes, calls and times of each process of a tree that do not belong to recorded files.
    Each array has one element per process; 0 if the kernel's counts are missing. `read` and
    `written` may be negative, where a killed child's bytes are in its parent's counts."""

    read: Floats  # bytes
    written: Floats
    reads: Floats  # calls
    writes: Floats
    switches: Floats  # times that the process slept or lost its processor
    blocked: Floats  # seconds of sleep
    runnable: Floats  # seconds in which it waited for a processor
    user: Floats  # seconds of processor time, like system
    system: Floats
    counted: npt.NDArray[np.bool_]  # a process that is killed has no counts: its parent has them


@dataclass(frozen=True, eq=False)
class Family:
    """A parent process, and those of its descendants with which it exchanged data through pipes or
    sockets."""

    parent: int  # index in the tree
    others: Sequence[int]  # indices of the descendants
    down: float  # bytes from the parent to the others; if these were killed, both directions
    up: float  # bytes from the others to the parent
    messages: float  # that went each way, at least
    is_sum: bool  # the kernel's counts of the others are among those of the parent

    @property
    def bytes(self) -> float:
        """The bytes of both directions."""
        return self.down + self.up


@once
def outside(facts: Facts) -> Outside | None:
    """Returns what each process of a tree moved outside of recorded files, with its calls, waits
    and times; None if the run is no process tree, or if the log has no USAGE. `counted` is False
    for processes without the kernel's counts. Bytes may be negative, because the counts of a killed
    child are in its parent's: sums are right."""
    tree, table = facts.tree, facts.table("USAGE")
    if tree is None or table is None or len(tree) < 2:
        return None
    known = Usage(table.records)
    _, here, there = np.intersect1d(tree.ranks, known.ranks, return_indices=True)

    def of(name: str) -> Floats:
        found = np.zeros(len(tree))
        found[here] = known[name][there]
        return found

    counted = of("CHARS_READ") + of("CHARS_WRITTEN") > 0
    reads, writes = (_calls(facts, tree, kind) for kind in ("READS", "WRITES"))
    return Outside(
        # Negative where a killed child's bytes are in its parent's counts: sums are right.
        of("CHARS_READ") - of("EXCLUDED_READ") - tree.read,
        of("CHARS_WRITTEN") - of("EXCLUDED_WRITTEN") - tree.written,
        np.maximum(of("READ_CALLS") - reads, 0.0),
        np.maximum(of("WRITE_CALLS") - writes, 0.0),
        of("WAITS") + of("PREEMPTIONS"),
        np.maximum(of("F_BLOCKED_TIME") - tree.time, 0.0),
        of("F_RUNNABLE_TIME"),
        of("F_USER_TIME"),
        of("F_SYSTEM_TIME"),
        counted,
    )


def _calls(facts: Facts, tree: Processes, kind: str) -> Floats:
    """Returns, for each process, how many of the kernel's reads or writes its recorded files
    explain. A record of several processes counts fully for each of them. kind: READS or WRITES."""
    found = np.zeros(len(tree))
    filled = {"READS": "FILLS", "WRITES": "DRAINS"}[kind]
    for module, name in (("POSIX", kind), ("STDIO_EXT", filled)):
        table = facts.table(module)
        if table is None:
            continue
        records = table.records
        calls = np.maximum(records[f"{table.prefix}_{name}"].astype("f8"), 0.0)
        calls[among(records.ids, standard_ids())] = 0.0
        found += calls[records.ranks < 0].sum()
        alone = records.ranks >= 0
        at = np.searchsorted(tree.ranks, records.ranks[alone]).clip(0, len(tree) - 1)
        there = tree.ranks[at] == records.ranks[alone]
        np.add.at(found, at[there], calls[alone][there])
    return found


def _below(tree: Processes, parent: int) -> list[int]:
    """Returns the indices of a process's workers, and of the workers that these started."""
    found, at = list[int](), [parent]
    while at:
        children = np.flatnonzero(np.isin(tree.parents, at)).tolist()
        at = [child for child in children if tree.programs[child].worker]
        found += at
    return found


def _family(facts: Facts, parent: int, others: Sequence[int]) -> Family:
    """Returns what a process and others passed to each other. parent, others: indices of
    processes."""
    known = outside(facts)
    assert known is not None
    rest = [*others]
    sums = [float(column[rest].sum()) for column in (known.read, known.written)]
    read, written = float(known.read[parent]), float(known.written[parent])
    calls = min(known.reads[parent], known.writes[parent])
    if known.counted[rest].all():
        calls = min(calls, known.reads[rest].sum(), known.writes[rest].sum())
        return Family(
            parent, others, max(0.0, min(written, sums[0])), max(0.0, min(read, sums[1])),
            float(calls), False,
        )  # fmt: skip
    both = max(0.0, min(read + sums[0], written + sums[1]))
    # The sum contains both sides of each message, because some others have counts of their own.
    every = [parent, *rest]
    calls = min(known.reads[every].sum(), known.writes[every].sum())
    return Family(parent, others, both, 0.0, float(calls) / 2, True)


def families(facts: Facts, *, workers: bool = False) -> Iterator[Family]:
    """Yields what each process that is no shell exchanged with its children, once for the children
    of each program. workers: with its workers instead (processes that it forked without another
    program), and theirs. Shells are left out, because connecting programs by pipes is their
    purpose."""
    tree = facts.tree
    if tree is None or outside(facts) is None:
        return
    for parent in np.unique(tree.parents[tree.parents >= 0]).tolist():
        program = tree.programs[parent]
        if program.shell or (workers and program.worker):
            continue
        if workers:
            groups = [_below(tree, parent)]
        else:
            by_name: dict[str, list[int]] = {}
            for child in np.flatnonzero(tree.parents == parent).tolist():
                by_name.setdefault(tree.programs[child].name, []).append(child)
            groups = list(by_name.values())
        for group in groups:
            if group:
                yield _family(facts, parent, group)


def seconds_at(facts: Facts, family: Family) -> float:
    """Returns the seconds that pipes need for the bytes of a family, at the rate of the
    thresholds."""
    return family.bytes / facts.limits["pipes.rate"]


@once
def more_than_little(facts: Facts) -> float:
    """Returns the least number of seconds of wall time that is more than a small part of the run
    (the threshold io.fine). Waits for a processor are not part of the run here."""
    return facts.limits["io.fine"] * facts.stake(0.0, "").of_run


@once
def may_have_taken_long(facts: Facts) -> bool:
    """Returns whether so much passed through pipes that they may have taken more than a small part
    of the run. If so, the report must not call the run fine."""
    least = more_than_little(facts)
    return any(
        seconds_at(facts, one) + facts.limits["pipes.switch"] * one.messages >= least > 0
        for one in families(facts)
    )
