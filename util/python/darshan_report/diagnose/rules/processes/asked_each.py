"""Two processes send each other small messages through pipes, and each waits for the other's."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, seconds
from ...facts import Facts
from ...finding import CAUSE, PROBLEM, Finding, Remedy, Stake
from ...reached import needs
from ...times.pipes import Family, families, outside

NAME = "asked-one-by-one"
ROLE = CAUSE
_MOSTLY = 0.5  # least part of the messages for which a process slept or lost its processor
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


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding on the program that waited longest for answers of a child process to small
    messages."""
    found = [
        (waited, one)
        for one in families(facts)
        if _is_dialogue(facts, one) and (waited := _waited(facts, one)) > 0
    ]
    usage, tree = facts.table("USAGE"), facts.tree
    if not found or usage is None or tree is None:
        return
    waited, first = max(found, key=lambda row: row[0])
    run = min(waited, facts.run_time)
    limits = facts.limits
    if run < max(limits["stake.seconds"], min(limits["stake.share"] * facts.run_time,
                                              limits["stake.large"])):  # fmt: skip
        return
    stake = Stake(
        run,
        facts.run_time,
        basis="time in which the program slept outside of recorded calls, without that in which "
        "the other one computed or waited for a processor, and the kernel's time for its messages; "
        "or what so many messages take at least",
        run=run,
        of_run=facts.run_time,
        between=run,
    )
    name = tree.programs[first.parent].name
    number = int(tree.counts[[*first.others]].sum())
    other = tree.programs[first.others[0]].times(number)
    yield Finding(
        NAME,
        "Two programs wait for each other at every message",
        _sentence(facts, first, name, other, run),
        PROBLEM,
        stake,
        facts.sums(usage, "READ_CALLS", "WRITE_CALLS", "WAITS", "PREEMPTIONS", "F_BLOCKED_TIME"),
        _REMEDY,
        limits=("pipes.messages", "pipes.small", "pipes.switch"),
        programs=name,
    )


def _is_dialogue(facts: Facts, family: Family) -> bool:
    """Returns whether a process and its children sent each other many small messages, and slept for
    most of them."""
    known, limits = outside(facts), facts.limits
    if known is None or family.messages < limits["pipes.messages"]:
        return False
    parent, rest = family.parent, [*family.others]
    moved = float(known.read[parent] + known.written[parent])
    if moved > limits["pipes.small"] * float(known.reads[parent] + known.writes[parent]):
        return False
    least = _MOSTLY * family.messages
    if known.switches[parent] < least:
        return False
    return family.is_sum or float(known.switches[rest].sum()) >= least


def _waited(facts: Facts, family: Family) -> float:
    """Returns the seconds that the messages cost the first program, at most: it slept while the
    other one neither computed nor waited for a processor, and the kernel moved its messages."""
    known, tree = outside(facts), facts.tree
    assert known is not None
    assert tree is not None
    rest, parent = [*family.others], family.parent
    others = float((known.user + known.runnable)[rest].sum()) / max(1, int(tree.counts[rest].sum()))
    waited = max(0.0, float(known.blocked[parent]) - others) + float(known.system[parent])
    return max(waited, facts.limits["pipes.switch"] * family.messages)


def _sentence(facts: Facts, family: Family, name: str, other: str, run: float) -> str:
    known = outside(facts)
    assert known is not None
    parent = family.parent
    sizes = " and ".join(
        amount(moved[parent] / max(1.0, calls[parent]))
        for moved, calls in ((known.written, known.writes), (known.read, known.reads))
    )
    return (
        f"{name} and {other} sent each other about {count(family.messages)} messages through pipes "
        f"or sockets, of {sizes} on average, and slept or lost the processor for most of them: one "
        f"asks, the other answers. That took about {seconds(run)}, in which {name} slept while "
        "the other did not work, or the kernel moved its messages. These are the kernel's counts "
        "for whole processes: the log has no single message, and does not tell whether a question "
        "needs the answer before it."
    )
