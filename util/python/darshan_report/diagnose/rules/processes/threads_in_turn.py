"""Several threads read, but only one of them works at a time, and they wait about once for each
read: perhaps for a lock that a thread holds while it reads and takes apart what it read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....call_sites.lines import Site
from ....call_sites.measured import READ
from ....classes import dataclass
from ....measure.processes.usage import Usage
from ....units import count, plural, seconds
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...programs.machine import processors
from ...programs.responsible_programs import programs_of
from ...reached import needs
from ...remedies.language import languages
from ...table import Table
from ...times.loops import loops_of

NAME = "threads-in-turn"
ROLE = REMARK
_KINDS = ("OPENS", "CLOSES", "READS", "WRITES", "LOOKUPS", "SEEKS", "SYNCS", "OTHERS")
_GAPS = ("GAPS_SHORT", "GAPS_MEDIUM", "GAPS_LONG")
_THREADS = 2  # fewest threads that use files, besides the first one
_READS = 64  # fewest reads
_LITTLE = 0.2  # largest share of the run in calls on files
_ASLEEP = 0.8  # smallest share of the run in which the first thread waits for the others
_MOST = 1.2  # processor time of one thread at a time, as a share of the run
# The runtime of these languages has threads of its own, which wait for each other.
_OWN_THREADS = frozenset(("Java", "Node", "Go", "Julia"))
_REMEDY = Remedy(
    "Take only the next offset, name or block under the lock; read and parse outside of it, each "
    "thread with a buffer and sums of its own. Threads of Python share the interpreter's lock: let "
    "processes parse. If one thread does the work for which the others wait, share this work.",
    "C: pthread_mutex_lock(&lock);  at = next;  next += size;  pthread_mutex_unlock(&lock);\n"
    "C: pread(fd, block, size, at);  parse(block);  // outside of the lock\n"
    "C++: { std::lock_guard guard(lock); at = next; next += size; }  // then read and parse\n"
    "Rust: let at = { let mut next = lock.lock().unwrap(); *next += size; *next - size };\n"
    "Python: with ProcessPoolExecutor() as pool: results = pool.map(parse, parts)",
)


@dataclass(frozen=True)
class _Readers:
    """The number of reads of a process, of its threads that use files besides the first thread, and
    the id of the file that they read."""

    threads: int
    reads: int
    file: int


def _first_calls(table: Table) -> np.ndarray:
    """Returns, for each call site, how many threads had their first call there. A thread's first
    call has no gap before it, so this is the number of calls without a gap."""
    calls = sum(table[name] for name in _KINDS)
    return np.asarray(calls - sum(table[name] for name in _GAPS))


def _readers(facts: Facts) -> _Readers | None:
    """Returns the reads and the threads of a log; None if the process read nothing."""
    table, known = facts.table("SITES"), loops_of(facts)
    if table is None or known is None:
        return None
    threads = int(_first_calls(table).sum()) - 1
    sites: list[Site] = [s for loop in known.groups for s in loop.sites if s.sums.calls_of[READ]]
    if not sites:
        return None
    most = max(sites, key=lambda site: site.sums.calls_of[READ])
    files = most.sums.files.calls
    if not files:
        return None
    reads = sum(site.sums.calls_of[READ] for site in sites)
    return _Readers(threads, int(reads), max(files, key=lambda one: files[one]))


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a hint if several threads of a process read, but only one works at a time; otherwise
    nothing, also for logs of several processes."""
    usage, readers = facts.table("USAGE"), _readers(facts)
    if usage is None or readers is None or facts.nprocs > 1 or facts.tree is not None:
        return
    if readers.threads < _THREADS or readers.reads < _READS or facts.run_time <= 0:
        return
    known, run = Usage(usage.records), facts.run_time
    ran, asleep, waits, lost = (
        float(known[name].sum())
        for name in ("F_USER_TIME", "F_BLOCKED_TIME", "WAITS", "PREEMPTIONS")
    )
    ran += float(known["F_SYSTEM_TIME"].sum())
    limits = facts.limits
    one_at_a_time = limits["turns.least"] * run <= ran <= _MOST * run and asleep >= _ASLEEP * run
    in_turn = waits >= limits["turns.waits"] * max(lost, readers.reads)
    if not one_at_a_time or not in_turn or facts.base_time > _LITTLE * run:
        return
    if 0 < processors(facts) < _THREADS or run < facts.limits["stake.seconds"]:
        return
    if languages(facts, programs_of(facts, "POSIX", readers.file)) <= _OWN_THREADS:
        return
    yield Finding(
        NAME,
        "Threads that read work one at a time",
        f"{count(readers.threads)} threads besides the first one use files, mostly "
        f"{facts.name(readers.file)}, but the program used {seconds(ran)} of processor time in "
        f"{seconds(run)}, as one thread does that works alone. Its threads waited "
        f"{plural(int(waits), 'time')}, for {count(readers.reads)} reads. They may wait for a lock "
        "that each holds while it reads and takes apart what it read, or for a thread that does "
        "most of the work: the log does not show locks of threads.",
        NOTICE,
        evidence=facts.sums(
            usage, "WAITS", "PREEMPTIONS", "F_USER_TIME", "F_SYSTEM_TIME", "F_BLOCKED_TIME"
        ),
        remedy=_REMEDY,
        limits=("turns.least", "turns.waits", "stake.seconds"),
        is_hint=True,
    )
