"""Processes send each other small messages through pipes, and wait for each other at each. Or they
ask a multiprocessing.Manager of Python for single values."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, NOTICE, PROBLEM, Finding, Remedy, Stake
from ...programs.managers import Manager, manager_of
from ...reached import needs
from ...times.pipes import Family, families, outside

NAME = "asked-one-by-one"
MANY = f"{NAME}-many"  # name of the hint on processes that were not seen to wait
MANAGER = f"{NAME}-manager"  # name of the hint on objects of a multiprocessing.Manager
ROLE = CAUSE
_MOSTLY = 0.5  # least part of the messages for which a process slept or lost its processor
# A message that waits for so many times the shortest wait waits for something else: a user, the
# network, a device.
_LONGEST = 5
_WAITED = (
    "time in which the program slept outside of recorded calls, without that in which the other "
    "one computed or waited for a processor, and the kernel's time for its messages; or what so "
    "many messages take at least"
)
_SERVED = (
    "processor time of the Manager's process, and what it takes to switch to it and back for each "
    "message"
)
_REMEDY = Remedy(
    "Where the next question does not need the last answer, send many questions before reading "
    "their answers: write all of them to a file or from a thread of their own, or send some "
    "hundred, and let the other program empty its output only then. Or do its work in the program "
    "itself, through a library.",
    "Python: pool.imap(work, tasks, chunksize=1000);  executor.map(work, tasks, chunksize=1000)\n"
    "Python: answers = subprocess.run(command, input=all_questions, capture_output=True).stdout\n"
    "Perl: open my $answers, '-|', './program < questions';  # all questions are in a file\n"
    "Ruby: answers, = Open3.capture2(command, stdin_data: all_questions)\n"
    "Node: child_process.execFileSync(command, {input: allQuestions})\n"
    "R: answers <- system2(command, input = all_questions, stdout = TRUE)\n"
    "C: while (fgets(line, size, stdin)) printf(...);  // of the other program: no fflush\n"
    "C: write(questions, block, size);  // a block of many questions, before the first answer is "
    "read",
)
_TOGETHER = Remedy(
    "Send many tasks, or many answers, with each message: pools of workers have an option for that "
    "(chunksize). Elsewhere, write to the pipe through a buffer, and empty it only at the end.",
    _REMEDY.example,
)

_PLAIN = Remedy(
    "Give the workers a plain dict or list, as a global variable that is set before the pool is "
    "made, or through its initializer; they return what they find, and the parent process joins "
    "it. A queue of multiprocessing needs no Manager. Where all processes must change one object, "
    "ask for many values with one access: copy() and update() of a dict, a slice of a list.",
    "Python: Pool(2, initializer=load, initargs=(values,))  # values: a plain dict\n"
    "Python: values = shared.copy()  # once, before the loop;  shared.update(changes)  # once\n"
    "Python: multiprocessing.Array('d', 1000);  multiprocessing.Queue()  # not of a Manager",
)


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on the program that waited longest for a child process's answers to small
    messages. If there is none, yields a hint on the program that exchanged very many small messages
    with its children, if any. Before both, looks for a Manager that many messages asked."""
    manager = manager_of(facts)
    asked = None if manager is None else _managed(facts, manager)
    if asked is not None:
        yield asked
        return
    small = [one for one in families(facts) if _are_small(facts, one)]
    asking = [(waited, one) for one in small if (waited := _waited(facts, one)) > 0]
    least = facts.limits["pipes.switch"]
    for rows, is_certain in (
        ([row for row in asking if _is_dialogue(facts, row[1])], True),
        ([(least * one.messages, one) for one in small], False),
    ):
        if not rows:
            continue
        waited, first = max(rows, key=lambda row: row[0])
        stake = _stake(facts, waited, _WAITED)
        if stake is not None:
            # How long messages took that were not waited for is not known.
            yield _told(facts, first, stake if is_certain else Stake(), is_certain=is_certain)
            return


def _managed(facts: Facts, manager: Manager) -> Finding | None:
    """Returns the hint on the messages of a Manager; None if they are few or large, or cost
    little."""
    limits, usage, tree = facts.limits, facts.table("USAGE"), facts.tree
    if manager.messages < limits["pipes.messages"] or usage is None or tree is None:
        return None
    spent = manager.seconds + limits["pipes.switch"] * manager.messages
    stake = _stake(facts, min(spent, limits["manager.message"] * manager.messages), _SERVED)
    if max(manager.asked, manager.answered) > limits["pipes.small"] or stake is None:
        return None
    sizes = f"{amount(manager.asked)} and {amount(manager.answered)}"
    return Finding(
        MANAGER,
        "Processes ask a multiprocessing.Manager for single values",
        f"The process of a multiprocessing.Manager got about {count(manager.messages)} messages "
        f"and sent as many answers, of {sizes} on average, and worked {seconds(manager.seconds)}. "
        "Each access to its dict, list, Namespace or queue sends it a message through a socket, "
        "packed (pickled), and waits for the answer. These are the kernel's counts for the whole "
        "process: the log does not have the lines of the accesses.",
        NOTICE,
        stake,
        facts.sums(usage, "READ_CALLS", "WRITE_CALLS", "WAITS", "PREEMPTIONS"),
        _PLAIN,
        limits=("pipes.messages", "pipes.small", "pipes.switch", "manager.message"),
        programs=tree.programs[manager.place].name,
        at=manager.at,
        is_hint=True,
    )


def _stake(facts: Facts, waited: float, basis: str) -> Stake | None:
    """Returns the potential saving: the waits for messages, by which the run is longer; None if
    they are short. waited: seconds; basis: how they were estimated."""
    run, limits = min(waited, facts.run_time), facts.limits
    if run < max(limits["stake.seconds"], min(limits["stake.share"] * facts.run_time,
                                              limits["stake.large"])):  # fmt: skip
        return None
    return Stake(
        run,
        facts.run_time,
        basis=basis,
        run=run,
        of_run=facts.run_time,
        between=run,
    )


def _told(facts: Facts, family: Family, stake: Stake, *, is_certain: bool) -> Finding:
    """Returns the finding. is_certain: whether the kernel's counts show that the processes wait for
    each other."""
    tree, usage = facts.tree, facts.table("USAGE")
    assert tree is not None
    assert usage is not None
    name = tree.programs[family.parent].name
    number = int(tree.counts[[*family.others]].sum())
    other = tree.programs[family.others[0]].times(number)
    return Finding(
        NAME if is_certain else MANY,
        "Processes wait for each other at every message"
        if is_certain
        else "Processes send each other many small messages",
        _sentence(facts, family, f"{name} and {other}", stake.run),
        PROBLEM if is_certain else NOTICE,
        stake,
        facts.sums(usage, "READ_CALLS", "WRITE_CALLS", "WAITS", "PREEMPTIONS", "F_BLOCKED_TIME"),
        _REMEDY if is_certain else _TOGETHER,
        limits=("pipes.messages", "pipes.small", "pipes.switch"),
        programs=name,
        is_hint=not is_certain,
    )


def _are_small(facts: Facts, family: Family) -> bool:
    """Returns whether a process and its children sent each other many small messages; False if the
    kernel's counts are unknown. family: the process and its children."""
    known, limits = outside(facts), facts.limits
    if known is None or family.messages < limits["pipes.messages"]:
        return False
    parent = family.parent
    moved = float(known.read[parent] + known.written[parent])
    return moved <= limits["pipes.small"] * float(known.reads[parent] + known.writes[parent])


def _is_dialogue(facts: Facts, family: Family) -> bool:
    """Returns whether both sides slept, or lost their processor, for most of their messages,
    because they wait for answers; False if only a sum of the counts of both sides is known. family:
    a process and its children."""
    known = outside(facts)
    assert known is not None
    slept = min(float(known.switches[some].sum()) for some in ([family.parent], [*family.others]))
    return not family.is_sum and slept >= _MOSTLY * family.messages


def _waited(facts: Facts, family: Family) -> float:
    """Returns the seconds that the parent process of a family waited for answers: the time in which
    it slept while its children neither computed nor waited for a processor. Each message counts for
    at least the shortest wait, and for at most _LONGEST times as much. family: a process and its
    children."""
    known, tree = outside(facts), facts.tree
    assert known is not None
    assert tree is not None
    rest, parent = [*family.others], family.parent
    others = float((known.user + known.runnable)[rest].sum()) / max(1, int(tree.counts[rest].sum()))
    waited = max(0.0, float(known.blocked[parent]) - others) + float(known.system[parent])
    least = facts.limits["pipes.switch"] * family.messages
    return max(least, min(waited, _LONGEST * least))


def _sentence(facts: Facts, family: Family, names: str, waited: float) -> str:
    """Returns the sentences of the finding. names: text on the programs. waited: seconds."""
    known = outside(facts)
    assert known is not None
    parent, least = family.parent, facts.limits["pipes.switch"]
    sizes = " and ".join(
        amount(moved[parent] / max(1.0, calls[parent]))
        for moved, calls in ((known.written, known.writes), (known.read, known.reads))
    )
    slept = (
        ", and slept or lost the processor for most of them: one asks, the other answers. That "
        f"took about {seconds(waited)}, in which the first slept while the other did not work, or "
        "the kernel moved its messages."
        if waited > 0
        else ". Each costs system calls, and mostly packing (pickling), on both sides. Their time "
        f"is not known: at {seconds(least)} each, without packing, they take "
        f"{seconds(least * family.messages)}."
    )
    return (
        f"{names} sent each other about {count(family.messages)} messages each way, through pipes "
        f"or sockets, of {sizes} on average{slept} These are the kernel's counts for whole "
        "processes: the log has no single message, and does not tell whether a question needs the "
        "answer before it."
    )
