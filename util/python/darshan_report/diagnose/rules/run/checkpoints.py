"""The program waits while it saves checkpoints, and saves more often than the expected failures
justify."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....checkpoints.interval import Waited, waited, young
from ....checkpoints.saves import Checkpoint, checkpoints
from ....units import amount, plural, rough, seconds, share
from ...facts import Facts
from ...finding import CAUSE, Evidence, Finding, Remedy

NAME = "checkpoints-often"
ROLE = CAUSE
_MANY = 20  # number of files of which a program rarely keeps all, if they are checkpoints
_EXPLAIN = ("between-calls", "conversion-writing")  # findings on the time between calls
_MOSTLY = 0.5  # share of the time of the saves
_LESS = (
    "Python: if time.monotonic() - saved >= interval: save(state, path)  # not in every step\n"
    "C: if (now - saved >= interval) save(state), saved = now;\n"
    "Fortran: if (now - saved >= interval) call save(state)\n"
    "Julia: time() - saved >= interval && save(path, state)"
)


def _are_state(row: Checkpoint) -> bool:
    """Returns whether files are certainly checkpoints. The functions of numpy and pickle also save
    results, so files that they save are checkpoints only if the program replaces or removes them.
    row: sums of the files with one pattern of names."""
    return not row.saver.repeated or 2 * (row.replaced + row.removed) >= row.saves


def _of_parts(row: Checkpoint) -> str:
    """Returns advice for files that may not be checkpoints, because there are many and the program
    keeps all of them; `""` for other files. row: sums of the files with one pattern of names."""
    many = row.files >= _MANY and row.kept == row.saves
    return f"{row.saver.parts} If they are checkpoints: " if many and row.saver.parts else ""


def _too_often(facts: Facts, found: Waited, best: float) -> bool:
    """Returns whether the run saves more often than it should, and this takes enough time. best:
    the seconds between saves that lose the least time."""
    limits, run = facts.limits, facts.run_time
    if found.rounds < limits["checkpoint.saves"] or not 0 < found.interval < best:
        return False
    return run >= limits["checkpoint.trial"] or found.seconds >= limits["checkpoint.share"] * run


def evidence(facts: Facts, row: Checkpoint) -> tuple[Evidence, ...]:
    """Returns the counters, in POSIX and STDIO, of the checkpoint with the most bytes written. row:
    sums of the checkpoints with one pattern of names."""
    found: list[Evidence] = []
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        places = [table.place(one) for one in row.ids] if table is not None else []
        some = [place for place in places if place is not None]
        if table is not None and some:
            place = max(some, key=lambda at: (int(table["BYTES_WRITTEN"][at]), at))
            found += facts.rows(table, place, "BYTES_WRITTEN", "F_WRITE_TIME", "F_META_TIME")
    return tuple(found)


def _advice(rows: Sequence[Checkpoint]) -> str:
    """Returns the example of the remedy, for the libraries that save."""
    lines = [line for row in rows for line in row.saver.advice.split("\n") if line]
    return "\n".join([_LESS, *dict.fromkeys(lines)])


def _interval(facts: Facts, best: float) -> str:
    """Returns a sentence on the interval of saves that loses the least time; `""` if the run is
    shorter than this interval. best: the interval in seconds."""
    if best >= facts.run_time:
        return ""
    return (
        f" With a failure every {rough(facts.limits['checkpoint.failures'])}, which is an "
        f"assumption (checkpoint.failures in a file of thresholds), one save every {rough(best)} "
        "loses the least time (Young's formula)."
    )


def without_explained(facts: Facts, found: Sequence[Finding]) -> list[Finding]:
    """Returns the findings without the finding of this rule, if another finding explains most of
    the time in saves that lies between I/O calls: then a save can take less time, and need not be
    rarer. Otherwise returns all of them. found: findings of all rules."""
    rows = [row for row in checkpoints(facts) if _are_state(row) and not row.beside]
    whole = sum(row.wall for row in rows)
    outside = whole - sum(row.in_calls / max(1, row.processes) for row in rows)
    told = max((f.stake.between for f in found if f.name.startswith(_EXPLAIN)), default=0.0)
    if outside < _MOSTLY * whole:
        return list(found)

    def is_told(finding: Finding) -> bool:
        # The stake lacks waits for a processor, which the time of the saves has.
        return finding.name == NAME and told >= _MOSTLY * min(outside, finding.stake.seconds)

    return [finding for finding in found if not is_told(finding)]


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if saves take much time, and the interval between them is shorter than
    that of Young's formula; otherwise nothing."""
    rows = [row for row in checkpoints(facts) if _are_state(row)]
    found = waited(rows)
    if found is None:
        return
    rows = [row for row in rows if not row.beside]
    failures = facts.limits["checkpoint.failures"]
    best = young(found.cost, failures)
    if not _too_often(facts, found, best):
        return
    needed = max(1.0, facts.run_time / best)
    ranks = max(row.processes for row in rows)
    stake = facts.stake(
        found.seconds * ranks * max(0.0, 1 - needed / found.rounds),
        f"time of the saves beyond one every {rough(best)}; "
        f"that interval loses the least time if something fails every {rough(failures)}"
        if best < facts.run_time
        else "time of the saves beyond one for the run",
    )
    if not facts.worth(stake):
        return
    first, more = rows[0], len(rows) - 1
    yield Finding(
        NAME,
        "The program waits for checkpoints, which it saves often",
        f"{first.name} was saved {plural(first.rounds, 'time')}"
        + (f" by {first.title}" if first.from_calls else "")
        + (f", like files of {plural(more, 'other name')}" if more else "")
        + f": {amount(first.written / first.saves)} every {seconds(found.interval)}. Each save "
        f"stopped the program for {seconds(found.cost)}, all of them for {seconds(found.seconds)} "
        f"({share(found.seconds, facts.run_time)} of the run)." + _interval(facts, best),
        stake=stake,
        evidence=evidence(facts, first),
        remedy=Remedy(
            f"{_of_parts(first)}Save less often, or copy the state in memory and let a thread "
            "save the copy while the program continues.",
            _advice(rows),
        ),
        limits=("checkpoint.saves", "checkpoint.failures", "checkpoint.trial", "checkpoint.share"),
        covers=frozenset().union(*(row.ids for row in rows)),
    )
