"""Processes wait for file locks that other processes hold, or set a lock for each record although
no other process holds it, or only briefly."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ....classes import dataclass
from ....records import among
from ....units import count, seconds, share
from ...facts import Facts, leading
from ...finding import CAUSE, Evidence, Finding, Remedy, Stake
from ...programs.sqlite import IN_A_TRANSACTION, databases
from ...reached import needs
from ...remedies.in_common import STATE
from ...table import Table
from ...times.cpu_wait import real_part
from ..mpiio import shared_pointer

NAME = "waits-for-locks"
ROLE = CAUSE
_LOCKING = re.compile(r"flock|lockf|fcntl")  # functions that lock; they are at the start of a stack
_EACH = 0.25  # fewest uses of a file per call on locks
_POINTER = ".shfp."  # part of the name of a file with a shared file pointer


ALONE = f"{NAME}-of-nobody"  # name of the finding on locks that were free in each call


@needs("POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the file whose locks took the most time, either on waits for other
    processes or on locks that were free in each call; nothing if they cost little. A lock is not
    I/O: a call that takes longer than a few microseconds waits for the lock's holder, or for the
    server of a network file system."""
    extra = facts.table("POSIX_EXT")
    if extra is None or facts.run_time <= 0:
        return
    each = extra["F_LOCK_TIME"] / np.maximum(extra.processes, 1)  # mean over its processes
    if facts.found(shared_pointer.find):
        # ROMIO keeps a shared file pointer in a file.
        names = map(facts.own_name, extra.ids.tolist())
        each = np.where([_POINTER in name for name in names], 0.0, each)
    at = int(np.argmax(each))
    longest, of_one = _longest(facts, extra, at)
    inside = _guarded(facts, extra, at)
    least = max(facts.limits["lock.share"] * facts.run_time, facts.limits["stake.seconds"])
    of_each = inside.seconds / max(int(extra.processes[at]), 1)
    if longest < least and (longest <= 0 or longest + of_each < least):
        return
    # A call that lost its processor lasts longer without waiting for a lock.
    of_call = each[at] * real_part(facts) / max(1, int(extra["LOCKS"][at]))
    if of_call < facts.limits["lock.call"]:
        finding = _of_nobody(facts, extra, at, inside)
    elif longest >= least:
        finding = _waits(facts, extra, at, longest, inside, of_one=of_one)
    else:
        finding = None
    if finding is not None:
        yield finding


def _longest(facts: Facts, extra: Table, at: int) -> tuple[float, bool]:
    """Returns seconds of waiting for the locks of a file, and whether they are those of the process
    that waited longest. If this is False, they are the mean over processes that take turns. at: row
    of the file in `extra` (the table POSIX_EXT)."""
    whole, users = float(extra["F_LOCK_TIME"][at]), max(int(extra.processes[at]), 1)
    of_sites, of_one = _by_sites(facts)
    longest = max(of_sites, whole / users)
    return min(longest, whole, facts.run_time), users > 1 and of_one and longest == of_sites


def _by_sites(facts: Facts) -> tuple[float, bool]:
    """Returns, from the call sites, the seconds in calls on locks of the process that waited
    longest, and whether each site has its time per process. Otherwise adds the mean over the
    processes that called from the site. A process that only holds the lock usually calls from other
    sites, so it does not lower this mean. Returns 0.0 and False without call sites."""
    table = facts.table("SITES")
    if table is None:
        return 0.0, False
    records, mean = table.records, 0.0
    times, processes = records["SITES_F_OTHER_TIME"], records["SITES_PROCESSES"]
    spent: dict[int, float] = {}
    for row in np.flatnonzero(times > 0):
        if not _LOCKING.match(facts.own_name(int(records.ids[row]))):
            continue
        rank, number = int(records.ranks[row]), max(int(processes[row]), 1)
        if number == 1:
            spent[rank] = spent.get(rank, 0.0) + float(times[row])
        else:
            mean += float(times[row]) / number
    return max(spent.values(), default=0.0) + mean, mean == 0.0


@dataclass(frozen=True)
class _Guarded:
    """The work that processes do on files each time they hold a lock: the files, the seconds in
    calls on them, and whether they are opened, or read and written, each time. Empty by default,
    for unknown work."""

    ids: frozenset[int] = frozenset()
    seconds: float = 0.0  # seconds in calls on these files
    opened: bool = False  # the files are opened each time
    changed: bool = False  # the files are read and written each time
    name: str = ""  # name of the file that took most of this time
    evidence: tuple[Evidence, ...] = ()  # times of that file


def _guarded(facts: Facts, extra: Table, at: int) -> _Guarded:
    """Returns the work that processes do under the lock of a file, on this file or on other files;
    an empty _Guarded if unknown. Leaves out SQLite and HDF5, which lock their files themselves. at:
    row of the file in `extra` (the table POSIX_EXT)."""
    locks, number = float(extra["LOCKS"][at]), int(extra.ids[at])
    found, most = _Guarded(), 0.0
    hdf5 = facts.table("H5F")
    by_library = facts.name(number) in databases(facts) or (hdf5 and hdf5.place(number) is not None)
    if int(extra.processes[at]) <= 1 or by_library:
        return found
    common = np.fromiter(facts.common.ids, "u8", len(facts.common.ids))
    for layer, table in facts.layers:
        if not layer.base:
            continue
        written = table["WRITES"] + table["RENAME_TARGETS"]
        used = np.maximum(facts.opens(table), table["READS"] + written)
        # Releases count as calls like locks, and one lock may protect several transfers.
        mask = (among(table.ids, common) | (table.ids == number)) & (used >= _EACH * locks)
        if not mask.any():
            continue
        time = np.where(mask, facts.time(table), 0.0)
        first = leading(mask, time, 1)[0]
        is_most = float(time[first]) >= most
        times = facts.rows(table, first, "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
        most = max(most, float(time[first]))
        moved = np.minimum(table["READS"], written)
        found = _Guarded(
            found.ids | frozenset(table.ids[mask].tolist()),
            found.seconds + float(time.sum()),
            found.opened or bool((mask & (facts.opens(table) >= _EACH * locks)).any()),
            found.changed or bool((mask & (moved >= _EACH * locks)).any()),
            facts.name(int(table.ids[first])) if is_most else found.name,
            times if is_most else found.evidence,
        )
    return found


def _evidence(facts: Facts, extra: Table, at: int) -> tuple[Evidence, ...]:
    """Returns the locks of a file as evidence. at: row of the file in POSIX_EXT."""
    return facts.rows(extra, at, "LOCKS", "F_LOCK_TIME")


def _of_nobody(facts: Facts, extra: Table, at: int, inside: _Guarded) -> Finding | None:
    """Returns the finding on locks that no other process held in any call; None if they cost
    little. at: row of the file in `extra` (the table POSIX_EXT); inside: the work under the
    lock."""
    time, calls = extra.sum("F_LOCK_TIME"), extra.sum("LOCKS")
    name = facts.name(int(extra.ids[at]))
    users = int(extra.processes[at])
    stake = facts.stake(
        time + inside.seconds,
        "time in calls that set or release locks"
        + (", and in calls on what they protect" if inside.seconds > 0 else ""),
    )
    enough = facts.limits["operations" if inside.ids else "calls.many"]
    if calls < enough or not facts.worth(stake):
        return None
    return Finding(
        ALONE,
        "Locks that nobody else holds take much of the run"
        if users <= 1
        else "Processes lock a file anew for each record",
        f"{count(calls)} calls that set or release locks (flock, lockf, fcntl) took "
        f"{seconds(time)}{facts.over_all}, {seconds(time / max(calls, 1))} each, most of them for "
        f"{name}. "
        + (
            "No other process of this run used the file: the number of calls costs the time."
            if users <= 1
            else f"{count(users)} processes lock this file in turn, and each holds it only for a "
            "moment: the number of calls costs more than the waits." + _done(facts, inside)
        ),
        stake=stake,
        evidence=_evidence(facts, extra, at) + inside.evidence,
        remedy=(IN_A_TRANSACTION if name in databases(facts) else _ONCE)
        if users <= 1
        else _NUMBERS
        if inside.changed
        else _BLOCKS,
        limits=("lock.share", "lock.call", "calls.many", "operations"),
        covers=inside.ids,
    )


def _done(facts: Facts, inside: _Guarded) -> str:
    """Returns a sentence, with a space before it, on the work under each lock (`inside`); `""` if
    unknown."""
    if not inside.ids:
        return ""
    opened = "opened, " if inside.opened else ""
    done = "read and written" if inside.changed else "used"
    return (
        f" With each lock {inside.name} is {opened}{done}, which took "
        f"{seconds(inside.seconds)} more."
    )


_ONCE = Remedy(
    "Set the lock once, make many changes, and release it. If only one process writes, no lock "
    "is needed.",
    "C: flock(fd, LOCK_EX);  many writes;  flock(fd, LOCK_UN)\n"
    "Python: fcntl.flock(file, fcntl.LOCK_EX)  # before the loop\n"
    "shell: flock lockfile script  # around the whole loop\n"
    "SQL: PRAGMA locking_mode = EXCLUSIVE;",
)
_BLOCKS = Remedy(
    "Collect many records in memory; then set the lock, write them as one block, and release it. A "
    "lock around the whole loop would make the processes work one after another.",
    "C: flock(fd, LOCK_EX);  write(fd, block, size);  flock(fd, LOCK_UN)  // every 1,000 records\n"
    "Python: fcntl.flock(file, fcntl.LOCK_EX); os.write(file, b''.join(records)); "
    "fcntl.flock(file, fcntl.LOCK_UN)  # every 1,000 records\n"
    "Perl: flock($f, LOCK_EX);  print $f @records;  flock($f, LOCK_UN);  # every 1,000 records\n"
    "shell: flock out.txt cat block >> out.txt  # once for each block of lines\n"
    "SQL: BEGIN IMMEDIATE;  1,000 rows;  COMMIT;",
)

_NUMBERS = Remedy(
    "Take many items with each lock: read the file, take a block of 1,000 numbers or tasks for "
    "this process, and write the file back. Or let one process give them out, by messages, a pipe "
    "or a pool of workers; or use a database. A process must read the file again after each "
    "lock, because other processes may have changed it.",
    STATE.example,
)


def _waits(
    facts: Facts, extra: Table, at: int, longest: float, inside: _Guarded, *, of_one: bool
) -> Finding:
    """Returns the finding on waits for locks. at: row of the file in `extra` (the table POSIX_EXT);
    longest: seconds of waiting; inside: the work under the lock; of_one: the seconds are those of
    one process, not a mean."""
    time, calls = extra.sum("F_LOCK_TIME"), extra.sum("LOCKS")
    name, users = facts.name(int(extra.ids[at])), int(extra.processes[at])
    outside = (
        "No other process of this run used the file: a process outside of this run held the "
        "lock, or the server of a network file system is slow."
        if users <= 1
        else "On a local file system, a lock that nobody holds takes a microsecond."
    )
    return Finding(
        NAME,
        "Processes wait for locks of files",
        f"{count(calls)} calls that set or release locks (flock, lockf, fcntl) took "
        f"{seconds(time)}{facts.over_all}. The longest waits were for {name}: "
        f"{_who(users, of_one)} waited {seconds(longest)} for it{_mean(users, of_one)}, "
        f"{share(longest, facts.run_time)} of the run. {outside}{_done(facts, inside)}",
        stake=Stake(
            time,
            max(time, facts.run_time * facts.nprocs),
            basis="time in calls that set or release locks",
            run=longest,
            of_run=facts.run_time,
            ranks=1 if facts.tree else facts.nprocs,
        ),
        evidence=_evidence(facts, extra, at),
        remedy=_one_holds(inside, time)
        if inside.changed
        else Remedy(
            "Hold a lock only while the file is changed: compute before, and release it at once. "
            "Or let each process write to a file of its own, and join the files at the end. "
            "Readers need a shared lock only; a database lets them go on while one process writes.",
            "C: flock(fd, LOCK_SH);  // to read\n"
            "Python: fcntl.flock(file, fcntl.LOCK_SH)  # to read\n"
            "shell: flock --shared file command  # to read\n"
            "SQL: PRAGMA journal_mode = WAL;",
        ),
        limits=("lock.share", "lock.call"),
        covers=inside.ids,
    )


_OWNER = (
    "Let one process own the data, give out the work and take the results as messages (a pipe, a "
    "queue, a pool of workers); or take many items with each lock; or use a database, which "
    "changes single rows."
)
_OUTSIDE = (
    "Compute outside of the lock: hold it only while the file is changed, and release it at once."
)


def _one_holds(inside: _Guarded, waited: float) -> Remedy:
    """Returns the remedy for a file that each holder of its lock reads and writes back: two pieces
    of advice, the likelier one first. If this work takes much less time than the others wait, the
    first is for a holder that does something else while it has the lock. inside: the work under the
    lock; waited: seconds that another process waited."""
    first, second = (_OUTSIDE, _OWNER) if 2 * inside.seconds < waited else (_OWNER, _OUTSIDE)
    return Remedy(f"{first} {second}", STATE.example)


def _who(users: int, of_one: bool) -> str:
    """Returns text for the processes that wait: one of them if of_one, else each of them. users:
    number of processes that use the file."""
    if users <= 1:
        return "the process"
    return f"{'one' if of_one else 'each'} of its {count(users)} processes"


def _mean(users: int, of_one: bool) -> str:
    """Returns the words that a time is a mean, `""` if it is not. users: processes of the file.
    of_one: whether it is the time of one process."""
    return " on average" if users > 1 and not of_one else ""
