"""The processor time of a run's processes and of their starts, as the kernel counted it. A loop of
a shell, or of Python's subprocess, may start hundreds of processes that do little more than
start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...measure.processes.processes import Processes
from ...measure.processes.usage import Usage
from ..facts import Facts, once
from ..finding import Stake
from ..remedies.language import of_program
from .tree_waits import queued

_EARLY = 25  # percent of the processes, those with the least work, that did little more than start
_INTERPRETER = 20  # longest start of an interpreter, as a multiple of a compiled program's start
_BARE = 4  # shortest start of an interpreter, as a multiple of a compiled program's start
# Languages whose interpreters start as fast as compiled programs.
_QUICK = frozenset(("", "shell", "awk", "sed", "dd", "SQL", "Perl"))

# Processor seconds that the runtime takes per recorded call, without call sites and with them;
# measured with sed, which reads and writes lines through buffers.
_OWN, _OWN_WITH_SITES = 8e-8, 1.3e-7

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Costs:
    """The kernel's times of the processes of a tree, in seconds: processor time, waits for a
    processor, and sleep. Each array has an element per record of the tree, which is one process or
    several alike; 0 without a USAGE record."""

    processor: Floats  # processor time without that of the runtime
    system: Floats
    ready: Floats  # waits for a processor
    blocked: Floats  # sleep; infinite if unknown
    part: float = 1.0  # share of these seconds that the run's working time contains

    def work(self, at: Places, in_calls: Floats) -> float:
        """Returns the seconds in which the processes with the indices `at` worked, waited for a
        processor, or waited for their calls on files, summed. in_calls: seconds in such calls, for
        each process of the tree."""
        # A call that a buffer serves takes processor time of the program; it does not sleep.
        calls = np.minimum(np.maximum(0.0, in_calls - self.system), self.blocked)[at]
        return self.part * float((self.processor + self.ready)[at].sum() + calls.sum())

    def busy(self, at: Places) -> float:
        """Returns how many seconds of the run's working time the processes with the indices `at`
        needed for one second of processor time: more if they waited for a processor."""
        ran = float(self.processor[at].sum())
        return self.part * (1 + float(self.ready[at].sum()) / ran) if ran > 0 else self.part


@once
def costs(facts: Facts) -> Costs | None:
    """Returns the kernel's times of the processes of a tree; None if the log has no tree or no
    USAGE records."""
    tree, table = facts.tree, facts.table("USAGE")
    if tree is None or table is None:
        return None
    known = Usage(table.records)
    at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
    some = tree.ranks[at] == known.ranks
    columns = []
    names = ("F_USER_TIME", "F_SYSTEM_TIME", "F_BLOCKED_TIME")
    for each_record in (*(known[name] for name in names), queued(tree, known)):
        column = np.zeros(len(tree))
        np.add.at(column, at[some], each_record[some])
        columns.append(column)
    user, system, blocked, ready = columns
    blocked[at[some & ~known.knows("F_BLOCKED_TIME")]] = np.inf
    each = _OWN if facts.info.region("SITES") is None else _OWN_WITH_SITES
    own = each * (tree["READS"] + tree["WRITES"] + tree.opens)
    # Calls that a buffer serves cost less.
    if 0 < facts.recording < own.sum():
        own = own * facts.recording / own.sum()
    own = np.minimum(own, user)
    spent = user + system
    kept = 1 - np.divide(own, spent, out=np.zeros(len(tree)), where=spent > 0)
    found = Costs(spent - own, system, ready * kept, blocked)
    whole = found.work(np.arange(len(tree)), tree.time)
    part = min(1.0, facts.process_time / whole) if whole > 0 else 1.0
    return replace(found, part=part)


def start_time(facts: Facts, tree: Processes, at: Places) -> float:
    """Returns an estimate of the seconds that each of the processes with the indices `at`, which
    run one program, took to start, including waits for a processor. It is the whole time of the
    quickest quarter of them. If that is longer than a start can take, these processes did real
    work; the estimate is then a fixed time for an interpreter, else the start of the run's quickest
    program."""
    known = costs(facts)
    slow = of_program(tree.commands[int(at[0])].partition(" ")[0]) not in _QUICK
    if known is None or known.processor[at].sum() <= 0:
        longest = facts.limits["each.start"] * (_INTERPRETER / 2 if slow else 1)
        return min(_quick(tree.lives, tree, at), longest)
    longest = facts.limits["each.processor"]
    taken = _quick(known.processor, tree, at)
    if taken > longest * (_INTERPRETER if slow else 1):
        taken = _BARE * longest if slow else min(longest, _quickest(facts))
    return taken * known.busy(at)


def processor_time(facts: Facts, tree: Processes, at: Places) -> float:
    """Returns the lower quartile of the processor time of the processes with the indices `at`, in
    seconds; 0 if unknown."""
    known = costs(facts)
    return 0.0 if known is None else _quick(known.processor, tree, at)


def _quick(spent: Floats, tree: Processes, at: Places) -> float:
    return float(np.percentile(spent[at] / tree.counts[at], _EARLY))


@once
def _quickest(facts: Facts) -> float:
    """Returns the processor time, in seconds, of a start of the run's quickest program; 0 if
    unknown."""
    tree, known = facts.tree, costs(facts)
    if tree is None or known is None:
        return 0.0
    places: dict[str, list[int]] = {}
    for place in np.flatnonzero(known.processor > 0):
        if not tree.programs[place].worker:
            places.setdefault(tree.programs[place].name, []).append(int(place))
    each = (_quick(known.processor, tree, np.array(at)) for at in places.values())
    return min(each, default=0.0)


def starter_of(tree: Processes, place: int) -> int:
    """Returns the index of the process that started the process with the index `place`. This is its
    nearest ancestor that is neither a subshell nor a shell that runs one command for its parent
    (`sh -c`). place must not be the first process."""
    starter = int(tree.parents[place])
    while tree.parents[starter] >= 0 and (
        tree.programs[starter].worker or is_of_command(tree.commands[starter])
    ):
        starter = int(tree.parents[starter])
    return starter


def is_of_command(command: str) -> bool:
    """Returns whether a command line is a shell that runs one command: `sh -c`."""
    words = command.split(" ", 2)
    return len(words) > 2 and words[1] == "-c" and of_program(words[0]) == "shell"


def starting(facts: Facts, tree: Processes, starters: set[int]) -> float:
    """Returns the seconds that the processes with the indices `starters` spent in the kernel
    outside of their calls on files, including waits for a processor. This is mostly the start of
    other processes. 0 if the kernel's times are unknown."""
    known = costs(facts)
    if known is None:
        return 0.0
    at = np.array(sorted(starters))
    took = np.maximum(0.0, known.system[at] - tree.time[at])
    return float(took.sum()) * known.busy(at)


def of_work(facts: Facts, stake: Stake) -> Stake:
    """Returns a saving whose time on the wall clock is the same fraction of the run as its seconds
    are of the processes' work. The number of processes that work at the same time is unknown: those
    of a pipeline overlap, but may do no I/O. Waits for a processor are subtracted, as the same
    fraction for all processes."""
    whole = facts.process_time
    needed = facts.needed_time / whole if whole > 0 else 1.0
    left = replace(stake, seconds=stake.seconds * needed, between=stake.between * needed)
    return replace(left, run=left.share * stake.of_run)
