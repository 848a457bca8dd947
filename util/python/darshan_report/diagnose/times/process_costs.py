"""The processor time of a run's processes and of their starts, by the kernel's counts: a loop of a
shell or of subprocess may start hundreds of processes that do little else than start."""

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

_EARLY = 25  # percent of the processes that did the least: they did little but start
_INTERPRETER = 20  # times as long as a compiled program an interpreter may take to start
_BARE = 4  # times as long an interpreter takes at least
# Languages whose interpreter starts as fast as a compiled program.
_QUICK = frozenset(("", "shell", "awk", "sed", "dd", "SQL", "Perl"))

# Seconds of the processor that the runtime takes for a recorded call: buffered reads and writes of
# lines by sed, without call sites and with them.
_OWN, _OWN_WITH_SITES = 8e-8, 1.3e-7

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Costs:
    """Seconds of the processes of each rank, in the order of the tree's ranks; 0 if unknown."""

    processor: Floats  # without what the runtime took
    system: Floats
    ready: Floats  # they waited for a processor
    blocked: Floats  # they slept; infinite if unknown
    part: float = 1.0  # of these seconds that the working time of the run contains

    def work(self, at: Places, in_calls: Floats) -> float:
        """Returns the seconds in which processes worked, or waited for a processor or for their
        calls on files; in_calls: of all ranks."""
        # Calls that a buffer serves are processor time of the program, not sleep.
        calls = np.minimum(np.maximum(0.0, in_calls - self.system), self.blocked)[at]
        return self.part * float((self.processor + self.ready)[at].sum() + calls.sum())

    def busy(self, at: Places) -> float:
        """Returns how many seconds of work the processes `at` needed for a second of processor
        time, because they waited for a processor."""
        ran = float(self.processor[at].sum())
        return self.part * (1 + float(self.ready[at].sum()) / ran) if ran > 0 else self.part


@once
def costs(facts: Facts) -> Costs | None:
    """Returns the costs of the processes of a tree; None if the log does not have them."""
    tree, table = facts.tree, facts.table("USAGE")
    if tree is None or table is None:
        return None
    known = Usage(table.records)
    at = np.searchsorted(tree.ranks, known.ranks).clip(0, len(tree) - 1)
    some = tree.ranks[at] == known.ranks
    columns = []
    for name in ("F_USER_TIME", "F_SYSTEM_TIME", "F_RUNNABLE_TIME", "F_BLOCKED_TIME"):
        column = np.zeros(len(tree))
        np.add.at(column, at[some], known[name][some])
        columns.append(column)
    user, system, ready, blocked = columns
    blocked[at[some & ~known.knows("F_BLOCKED_TIME")]] = np.inf
    each = _OWN if facts.info.region("SITES") is None else _OWN_WITH_SITES
    own = np.minimum(each * (tree["READS"] + tree["WRITES"] + tree.opens), user)
    spent = user + system
    kept = 1 - np.divide(own, spent, out=np.zeros(len(tree)), where=spent > 0)
    found = Costs(spent - own, system, ready * kept, blocked)
    whole = found.work(np.arange(len(tree)), tree.time)
    part = min(1.0, facts.process_time / whole) if whole > 0 else 1.0
    return replace(found, part=part)


def start_time(facts: Facts, tree: Processes, at: Places) -> float:
    """Returns the seconds that each of these processes of one program took to start, with its wait
    for a processor: what the quickest quarter of them took as a whole. If that is more than a start
    takes, they did work, and a start is taken to be that of the run's quickest program."""
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
    """Returns the processor time per process that a quarter of the processes `at` do not exceed; 0
    if unknown."""
    known = costs(facts)
    return 0.0 if known is None else _quick(known.processor, tree, at)


def _quick(spent: Floats, tree: Processes, at: Places) -> float:
    return float(np.percentile(spent[at] / tree.counts[at], _EARLY))


@once
def _quickest(facts: Facts) -> float:
    """Returns the processor time of a start by the program of the run that took least; 0 if that is
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
    """Returns the index of the process that starts a process: its parent, past subshells and past
    shells that run one command for their parent (`sh -c`)."""
    starter = int(tree.parents[place])
    while tree.parents[starter] >= 0 and (
        tree.programs[starter].worker or is_of_command(tree.commands[starter])
    ):
        starter = int(tree.parents[starter])
    return starter


def is_of_command(command: str) -> bool:
    """Returns whether a command line is that of a shell with one command: `sh -c`."""
    words = command.split(" ", 2)
    return len(words) > 2 and words[1] == "-c" and of_program(words[0]) == "shell"


def starting(facts: Facts, tree: Processes, starters: set[int]) -> float:
    """Returns the seconds that these processes took in the kernel beside their calls on files,
    mostly to start other processes; 0 if unknown."""
    known = costs(facts)
    if known is None:
        return 0.0
    at = np.array(sorted(starters))
    took = np.maximum(0.0, known.system[at] - tree.time[at])
    return float(took.sum()) * known.busy(at)


def of_work(facts: Facts, stake: Stake) -> Stake:
    """Returns a stake that is a part of the processes' work, with the same part of the run's time.
    Processes of a pipe work at the same time, but have no I/O by which their number is known. The
    work of single processes contains waits for a processor, in the same part as all work."""
    whole = facts.process_time
    needed = facts.needed_time / whole if whole > 0 else 1.0
    of_stake = stake.seconds * needed
    return replace(
        stake,
        seconds=of_stake,
        between=stake.between * needed,
        run=min(stake.run * needed, replace(stake, seconds=of_stake).share * stake.of_run),
    )
