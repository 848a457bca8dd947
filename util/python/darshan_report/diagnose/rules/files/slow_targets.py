"""Files on one storage target of Lustre are far slower than those on others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....measure.files.targets import Targets, by_target
from ....measure.processes.ranks import sums_by_rank
from ....records import among
from ....units import count, percent, plural, rate, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import WAITS, at_most
from ...table import Table

NAME = "slow-targets"
ROLE = CAUSE
_OTHERS = 4  # fewest targets that are not slow; fewer do not show the usual rate
_MEGA = 1 << 20


@at_most(WAITS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the storage targets of Lustre whose files are far slower than those of
    other targets; nothing if there are none."""
    table, found = facts.table("POSIX"), facts.stripes
    if table is None or found is None:
        return
    moved = (table["BYTES_READ"] + table["BYTES_WRITTEN"]).astype("f8")
    time = table["F_READ_TIME"] + table["F_WRITE_TIME"]
    # The time of small transfers does not measure a device.
    calls = table["READS"] + table["WRITES"]
    large = (calls > 0) & (moved > facts.limits["small.bytes"] * calls)
    ids = table.ids[large]
    targets = by_target(found, ids, moved[large], time[large])
    slow = _slow(facts, targets)
    if not slow.any():
        return
    usual = float(np.median(targets.slowness[~slow]))
    bad = targets.numbers[slow]
    on_slow = among(table.ids, found.files[np.isin(found.targets, bad)]) & large
    excess = np.where(on_slow, np.maximum(0.0, time - moved * usual), 0.0)
    stake = facts.stake(
        max(float(excess.sum()), _waited(facts, table, on_slow, usual)),
        "time of these files beyond what their bytes take on the other targets, and what other "
        "processes wait for the slowest of them, if they wait",
    )
    if not facts.worth(stake):
        return
    (first,) = leading(on_slow, excess, 1)
    yield Finding(
        NAME,
        "A storage target is slow" if len(bad) == 1 else "Storage targets are slow",
        _sentence(facts, targets, slow, on_slow, time),
        stake=stake,
        evidence=facts.rows(
            table, first, "BYTES_READ", "BYTES_WRITTEN", "F_READ_TIME", "F_WRITE_TIME"
        ),
        remedy=Remedy(
            "The program is not the cause: report the target to the administrators of the file "
            "system, and put no new files on it until it is repaired. All other processes wait "
            "for the processes that write to it.",
            f"lfs df -v;  lfs find --ost {int(bad[0])} folder;  lfs migrate\n"
            "lfs setstripe --pool POOL folder, a pool without that target",
        ),
        limits=("targets.factor", "targets.files", "small.bytes"),
        covers=frozenset(int(i) for i in table.ids[on_slow]),
    )


def _slow(facts: Facts, targets: Targets) -> npt.NDArray[np.bool_]:
    """Returns a mask of the storage targets that take far longer per byte than most, and hold
    several files."""
    none = np.zeros(len(targets.numbers), bool)
    if len(none) <= _OTHERS:
        return none
    usual = float(np.median(targets.slowness))
    found = targets.slowness > facts.limits["targets.factor"] * usual
    found &= targets.files >= facts.limits["targets.files"]
    return found if usual > 0 and np.count_nonzero(~found) >= _OTHERS else none


def _waited(facts: Facts, table: Table, on_slow: npt.NDArray[np.bool_], usual: float) -> float:
    """Returns the seconds, added up over all processes of a job, that they wait for the process
    that loses the most on its own files; 0 if no process has such files. on_slow: mask of the files
    on slow targets. usual: seconds per byte on others."""
    records = table.records
    own = (records.ranks >= 0) & among(records.ids, table.ids[on_slow])
    if not facts.together or not own.any():
        return 0.0
    time = sum(
        np.maximum(np.nan_to_num(records[f"POSIX_F_{kind}_TIME"][own]), 0)
        for kind in ("READ", "WRITE")
    )
    moved = sum(np.maximum(records[f"POSIX_BYTES_{n}"][own], 0) for n in ("READ", "WRITTEN"))
    _, (lost,) = sums_by_rank(records.ranks[own], np.maximum(0.0, time - moved * usual))
    return float(lost.max()) * facts.nprocs


def _sentence(
    facts: Facts,
    targets: Targets,
    slow: npt.NDArray[np.bool_],
    on_slow: npt.NDArray[np.bool_],
    time: npt.NDArray[np.float64],
) -> str:
    """Returns the sentences of the finding. slow: mask of the slow targets. on_slow: mask of the
    files on them. time: seconds per file."""
    names = ", ".join(str(n) for n in targets.numbers[slow][:8])
    names += ", ..." if slow.sum() > 8 else ""
    speed = [
        rate(float(targets.bytes[mask].sum() / max(targets.seconds[mask].sum(), 1e-9)) / _MEGA)
        for mask in (slow, ~slow)
    ]
    number, whole = int(on_slow.sum()), float(targets.seconds.sum())
    each = float(time[on_slow].sum()) / max(1, number)
    return (
        f"{plural(number, 'file')} on {'OST' if slow.sum() == 1 else 'OSTs'} {names} moved "
        f"{speed[0]} per process, {seconds(each)} each on average; files on the "
        f"{count(int((~slow).sum()))} other targets {speed[1]}. Transfers there took "
        f"{percent(float(targets.seconds[slow].sum()), whole)} of the time for "
        f"{percent(float(targets.bytes[slow].sum()), float(targets.bytes.sum()))} of the bytes."
    )
