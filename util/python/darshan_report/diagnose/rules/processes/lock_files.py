"""Processes try to make a lock file, or a lock folder, again and again without a pause, while
another process has it: each try fails, and takes processor time that the holder may need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....call_sites.lines import Line, Site
from ....call_sites.measured import LOOKUP, MEDIUM, OPEN, OTHER, SHORT
from ....classes import dataclass
from ....units import count, plural, seconds, share
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy, Stake
from ...reached import needs
from ...times.loops import loops_of

NAME = "spins-for-a-lock"
ROLE = CAUSE
_TRIES = 10  # fewest failed calls for each time that the name was made
_AGAIN = 5  # fewest times that it was made
_FEW = 0.1  # most other calls of the loop for each try
_HALF = 0.5  # fewest removals for each time that it was made, and failures for each try
_TURNS = 1.5  # most opens of a file that the lock protects, for each time that the lock was made
_FOLDER = re.compile(r"mkdir|link|symlink")  # calls that make something else than an open file
_REMEDY = Remedy(
    "Compute before the lock is taken, and hold it only for the change. Sleep between two tries, "
    "or let the kernel wait: a lock on an open file (flock) takes no processor time while it "
    "waits, and ends with its process.",
    "C: flock(fd, LOCK_EX);  // waits in the kernel\n"
    "Python: fcntl.flock(file, fcntl.LOCK_EX)  # waits in the kernel\n"
    "Perl: flock($file, LOCK_EX);  # waits in the kernel\n"
    "Perl: select(undef, undef, undef, 0.01) until sysopen(...);  # sleeps between two tries\n"
    "Ruby: file.flock(File::LOCK_EX)  # waits in the kernel\n"
    "Java: channel.lock()  // waits in the kernel\n"
    "shell: flock lockfile command\n"
    "shell: until mkdir lock; do sleep 0.1; done",
)


@dataclass(frozen=True)
class _Lock:
    """The tries of one call site."""

    tries: float  # that failed
    made: float
    files: frozenset[int]
    seconds: float  # in the tries that failed, and in short pauses between them
    around: float  # in these pauses
    processes: int


def _lock_of(facts: Facts, loop: Line, site: Site) -> _Lock | None:
    """Returns the attempts of a call site to create a file or a folder; None if it does not try
    again and again."""
    sums = site.sums
    folder = _FOLDER.match(site.stack.called) is not None
    tries, made = sums.calls_of[LOOKUP], sums.calls_of[OTHER if folder else OPEN]
    if made < _AGAIN or tries < max(facts.limits["operations"], _TRIES * made):
        return None
    files = frozenset(sums.files.calls)
    names = sums.files.number() or 0
    if loop.sums.calls - sums.calls > _FEW * tries or names * _AGAIN > made:
        return None
    extra = facts.table("POSIX_EXT")
    if extra is None or _HALF * tries > extra.sum("FAILURES"):
        return None
    places = [at for one in files if (at := extra.place(one)) is not None]
    gone = extra.sum("RMDIRS") + extra.sum("UNLINKS")
    gone = gone if folder else sum(float(extra["UNLINKS"][at]) for at in places)
    if gone < _HALF * made:
        return None
    around = sums.gaps[SHORT] + sums.gaps[MEDIUM]
    spent = sums.seconds_of[LOOKUP] + around
    return _Lock(tries, made, files, spent, around, max(sums.processes, 1))


def _protected(facts: Facts, made: float) -> set[int]:
    """Returns the files of several processes that are opened at most _TURNS times as often as the
    lock is made."""
    found: set[int] = set()
    for layer, table in facts.layers:
        if layer.base:
            opens = facts.opens(table)
            some = table.ids[(opens > 0) & (opens <= _TURNS * made)].tolist()
            found |= set(some) & set(facts.common.ids)
    return found


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the lock file, or lock folder, that processes spent most time trying to
    create."""
    known, extra = loops_of(facts), facts.table("POSIX_EXT")
    if known is None or extra is None or facts.run_time <= 0:
        return
    sites = ((loop, site) for loop in known.groups for site in loop.sites)
    locks = [lock for loop, site in sites if (lock := _lock_of(facts, loop, site)) is not None]
    if not locks:
        return
    lock = max(locks, key=lambda one: one.seconds)
    longest = min(lock.seconds / lock.processes, facts.run_time)
    stake = Stake(
        lock.seconds,
        max(lock.seconds, facts.run_time * facts.nprocs),
        basis="time in tries that failed, and between them",
        run=longest,
        of_run=facts.run_time,
        ranks=1 if facts.tree else facts.nprocs,
        between=lock.around,
    )
    if longest < facts.limits["lock.share"] * facts.run_time or not facts.worth(stake):
        return
    several = lock.processes > 1
    name = next(map(facts.name, lock.files), "One name")
    yield Finding(
        NAME,
        "Processes try to make a lock file without a pause",
        f"{name} was made {plural(int(lock.made), 'time')}, and {count(lock.tries)} tries to make "
        "it failed, because it was there already. With these tries "
        f"{f'each of {lock.processes} processes' if several else 'the process'} spent "
        f"{seconds(longest)}{' on average' if several else ''}, "
        f"{share(longest, facts.run_time)} of the run. They take processor time that the "
        "process which has the lock may need.",
        stake=stake,
        evidence=facts.sums(extra, "FAILURES", "UNLINKS", "RMDIRS", "F_META_TIME"),
        remedy=_REMEDY,
        limits=("operations", "lock.share", "stake.seconds"),
        covers=lock.files | _protected(facts, lock.made),
    )
