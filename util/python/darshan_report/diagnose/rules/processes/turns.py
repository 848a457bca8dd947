"""Ranks append to one file one after another, while the other ranks wait in MPI."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....call_sites.measured import OPEN
from ....classes import dataclass
from ....units import amount, count, plural, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...remedies.in_common import OUTPUT
from ...table import Table
from ...times import waits
from ...times.loops import loops_of

NAME = "written-in-turns"
ROLE = CAUSE
_TURN = 0.5  # smallest share of the wait that results if each rank waits for all others


@dataclass(frozen=True)
class _Spent:
    """The seconds that all ranks spent between their calls on some files: before opens, and before
    the other calls."""

    before: float = 0.0  # before opens of the files
    inside: float = 0.0  # before other calls on the files: formatting, or work of a library


def _spent(facts: Facts, files: frozenset[int]) -> _Spent:
    """Returns the seconds between calls on the files, from the call sites; all 0 without these.
    files: ids."""
    known = loops_of(facts)
    before, inside = 0.0, 0.0
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        if not files & (site.sums.files.calls.keys() | site.sums.files.moved.keys()):
            continue
        if site.sums.calls_of[OPEN] > 0:
            before += sum(site.sums.gaps)
        else:
            inside += sum(site.sums.gaps)
    return _Spent(before, inside)


def _written(facts: Facts, table: Table) -> npt.NDArray[np.bool_]:
    """Returns a mask of the files that several ranks only write, opening them for each piece."""
    users = np.maximum(table.processes, 1)
    found: npt.NDArray[np.bool_] = table.shared & facts.single(table) & (table["WRITES"] > 0)
    found &= table["BYTES_READ"] == 0
    found &= facts.opens(table) > facts.limits["opens.again"] * users
    size = table["MAX_BYTE_WRITTEN"] + 1
    # Each open writes new bytes; the file is not a state that is written again at the same offset.
    found &= table["BYTES_WRITTEN"] < facts.limits["again.factor"] * size
    return found


def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for POSIX, and another for STDIO, on files that the ranks of a job write in
    turns. Yields nothing unless the ranks' waits in MPI before the openings of these files, which
    only call sites show, are at least half as long as if each rank waited until all others had
    written."""
    if not facts.together:
        return
    waited = waits.waited(facts)
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is not None and waited is not None:
            yield from _find(facts, table, waited.seconds)


def _find(facts: Facts, table: Table, waited: float) -> Iterator[Finding]:
    """Yields the finding on the files of one layer that ranks write in turns. waited: seconds of
    all ranks in MPI."""
    mask = _written(facts, table)
    if not mask.any():
        return
    covers = frozenset(table.ids[mask].tolist())
    time = np.where(mask, facts.time(table), 0.0)
    calls, gaps = float(time.sum()), _spent(facts, covers)
    first = leading(mask, time, 1)[0]
    users = int(table.processes[first])
    # Each rank waits at least as long as all other ranks are busy.
    waiting = min(waited, gaps.before)
    if waiting < _TURN * (users - 1) * (calls + gaps.inside):
        return
    stake = facts.stake(
        calls,
        "time in calls on these files, and the waits in MPI before they are opened, some of which "
        "may have other reasons",
        between=waiting,
    )
    if not facts.worth(stake):
        return
    opens, written = int(facts.opens(table)[first]), float(table["BYTES_WRITTEN"][first])
    more = int(mask.sum()) - 1
    yield Finding(
        NAME,
        "Ranks write one file in turns",
        f"{facts.name(int(table.ids[first]))} was opened {count(opens)} times by {count(users)} "
        f"ranks, to write {amount(written / max(opens, 1))} each time on average"
        + (f"; the same holds for {plural(more, 'more file')}" if more else "")
        + f". Calls took {seconds(calls)}{facts.over_all}"
        + (f", and the work between them up to {seconds(gaps.inside)}" if gaps.inside > 0 else "")
        + ". Before these openings the ranks waited up to "
        f"{seconds(waiting)} in MPI, most of it for other ranks to finish with the file: while one "
        "writes, the others can only wait.",
        stake=stake,
        evidence=facts.rows(
            table, first, "OPENS", "WRITES", "BYTES_WRITTEN", "F_META_TIME", "F_WRITE_TIME"
        ),
        remedy=_AT_ONCE,
        limits=("opens.again", "again.factor"),
        covers=covers,
    )


_AT_ONCE = Remedy(
    "Let the ranks write at the same time: each at an offset that it computes from the sizes of "
    "the others' pieces, with one open for the run; or each to a file of its own, joined at the "
    "end; or send the pieces to one rank, which writes them. A rank that keeps the file open "
    "must append to it (O_APPEND): at an offset of its own it would overwrite what other ranks "
    "have written in the meantime.",
    "MPI_Gatherv(text, ...);  if (rank == 0) write(fd, all, size)\n" + OUTPUT.example,
)
