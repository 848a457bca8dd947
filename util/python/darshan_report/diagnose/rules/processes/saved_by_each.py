"""Each process of a parallel program saves the same checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from ....checkpoints.saves import Checkpoint, checkpoints
from ....units import amount, count, plural, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ..run import checkpoints as often

NAME = "saved-by-each"
ROLE = CAUSE
_ONE = """\
Python: if torch.distributed.get_rank() == 0: torch.save(state, path)
Python: if int(os.environ.get('RANK', 0)) == 0: save(state, path)
C: if (rank == 0) save(state);  MPI_Barrier(comm)"""


def _is_same(row: Checkpoint) -> bool:
    """Returns whether several processes saved the same number of bytes, with a function that saves
    the whole state. row: sums of the files with one pattern of names."""
    return row.processes > 1 and row.even and not row.saver.shards


def _spent(row: Checkpoint) -> float:
    """Returns the seconds in saves that all processes but one took. row: sums of the files with one
    pattern of names."""
    return max(row.in_calls, row.wall * row.processes) * (1 - 1 / row.processes)


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all checkpoints that each process saves as a whole; nothing if there
    are none."""
    rows = [row for row in checkpoints(facts) if _is_same(row)]
    if not rows:
        return
    again = sum(row.written * (1 - 1 / row.processes) for row in rows)
    stake = facts.stake(
        sum(map(_spent, rows)),
        "time that all processes but one spent in these saves",
        again,
        sum(row.written for row in rows),
    )
    if not facts.worth(stake):
        return
    first, more = rows[0], len(rows) - 1
    where = "the same file" if first.files < first.processes else "files of its own"
    yield Finding(
        NAME,
        "Each process saves the same checkpoint",
        f"Each of {count(first.processes)} processes saved "
        f"{amount(first.written / first.processes)} as {first.name}, {where}"
        + (f", by {first.title}" if first.from_calls else "")
        + (f"; the same holds for files of {plural(more, 'other name')}" if more else "")
        + f". That took {seconds(sum(map(_spent, rows)))} more than one process would need, over "
        "all processes. If the processes train copies of one model, the contents are the same.",
        stake=stake,
        evidence=often.evidence(facts, first),
        remedy=Remedy(
            "Let one process save while the others continue. If each holds a part of the state, "
            "let a "
            "library for sharded checkpoints save the parts.",
            _ONE,
        ),
        limits=("checkpoint.bytes",),
        covers=frozenset().union(*(row.ids for row in rows)),
    )
