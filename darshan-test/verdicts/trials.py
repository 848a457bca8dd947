"""Measures the gain that `darshan try` reaches on the programs of the corpus, and compares it with
the gain of the fix that was made by hand, and with the potential saving in the report. On programs
without a problem it tries all remedies; `darshan try` must not call any of them helpful. `./dev
verdicts --try --keep` writes the results to trials.txt, and the table of doc/try.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus import ROWS
from judge import HERE, ROOT_MAY_RUN, SLOW, Judge, mpi_of, plain_environment, ranks_on
from kept import kept
from lab.command import finished
from lab.environment import preloading, through_env
from row import FAR, Row

FILE = HERE / "trials.txt"
GUIDE = HERE.parents[1] / "doc" / "try.md"
HEAD = (
    "# Name, remedy, result, seconds that it gains (all processes), ratio of the times, and the\n"
    "# lower bound of the ratio.  ./dev verdicts --try --keep writes it.\n"
)
TITLE = "## Beside cures by hand\n"
_TEXT = f"""{TITLE}
The small programs of `darshan-test/verdicts/` have one known problem each. The next table has those for which `darshan try` has a remedy. It compares the gain of the remedy, the gain of a change in the program's source, and the potential saving that the report predicted, in seconds of all processes. A remedy may gain less than a change of the source. No finding asks for `page-buffer` and `sequential`: they were named by `--only`, and `sequential` was measured with `--cold`. The program of `aggregators` gives its ranks other host names, which needs `--yes-repeat`. The rows of `durability` are not remedies. `tmpdir` has no row, because none of these programs writes temporary files. `./dev verdicts --try --keep` measures the table again; the machine was busy, which widens the intervals.

| program | remedy | result | by `darshan try` | by hand | predicted | times faster (at least) |
|---|---|---|---:|---:|---:|---:|
"""  # noqa: E501
_HEALTHY = """
{programs} of these programs that have no problem, or whose problem was repaired in the source, were run with all remedies (`--all`): in {trials} trials, {helped}. A remedy that does not apply to a program is not counted. `join-writes` really saves half of `names-c/open-per-record+cured`, whose cure opens the file once and still makes a call for each of 500 records: about 0.06 s, less than the 0.1 s that count. On a busier machine it saved 0.104 s, and was called helped.
"""  # noqa: E501
CURED = "+cured"  # behind the name of a row whose cure was tried
# Why a remedy helps a program that was cured of another problem.
_TRUE = {"names-c/open-per-record+cured": "truly: see below"}
_OPTIONS = ("--json", "--copy", ".", "--budget", "300")
# Rows that are tried again with these options, for remedies that no finding proposes.
NAMED = {
    "fields-py/paged-groups": ("--only", "page-buffer"),
    "transfers-c/small-reads": ("--only", "sequential", "--cold"),
}


@dataclass(frozen=True)
class Tried:
    """The result of a trial of a remedy."""

    remedy: str
    result: str
    gain: float = 0.0  # seconds over all processes
    ratio: float = 0.0
    low: float = 0.0


def trials() -> dict[str, list[Tried]]:
    """Returns the stored results, by name of the row."""
    found: dict[str, list[Tried]] = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        if line and line[0] != "#":
            name, remedy, result, *numbers = line.split("\t")
            found.setdefault(name, []).append(Tried(remedy, result, *map(float, numbers)))
    return found


def write(rows: Mapping[str, list[Tried]]) -> None:
    """Replaces the lines of these rows, and the table of the guide."""
    every = trials() | rows
    FILE.write_text(
        HEAD
        + "".join(
            f"{name}\t{t.remedy}\t{t.result}\t{t.gain:.3f}\t{t.ratio:.3f}\t{t.low:.3f}\n"
            for name, found in sorted(every.items())
            for t in found
        )
    )
    text = GUIDE.read_text()
    before, _, rest = text.partition(TITLE)
    after = rest.partition("\n## ")
    GUIDE.write_text(f"{before}{section()}{''.join(after[1:])}")


def section() -> str:
    """Returns the part of the guide."""
    return _TEXT + "".join(_rows()) + _of_healthy()


def _rows() -> Iterator[str]:
    by_hand = kept()
    with_problem = {row.name for row in ROWS if row.finding}
    every = [(name, tried) for name, found in sorted(trials().items()) for tried in found]
    for name, tried in every:
        if name not in with_problem:
            continue
        then = by_hand.get(name)
        gain, stake = (f"{then.gain.seconds:.2f}", f"{then.stake:.2f}") if then else ("", "")
        times = f"{tried.ratio:.3g} ({tried.low:.3g})" if tried.ratio else ""
        mine = f"{tried.gain:.2f}" if tried.ratio else ""
        cells = (f"`{name}`", f"`{tried.remedy}`", tried.result, mine, gain, stake, times)
        yield f"| {' | '.join(cells)} |\n"


def _of_healthy() -> str:
    """Returns the paragraph on programs without a problem; empty if none was tried."""
    healthy = {row.name if not row.finding else f"{row.name}{CURED}" for row in ROWS}
    found = {name: tries for name, tries in sorted(trials().items()) if name in healthy}
    if not found:
        return ""
    ran = [(name, tried) for name, tries in found.items() for tried in tries if tried.ratio]
    helped = [
        f"`{tried.remedy}` for `{name}`" + (f" ({_TRUE[name]})" if name in _TRUE else "")
        for name, tried in ran
        if tried.result == "helped"
    ]
    said = (
        f"these were called helpful: {', '.join(helped)}"
        if helped
        else "no remedy was called helpful"
    )
    return _HEALTHY.format(programs=len(found), trials=len(ran), helped=said)


def try_row(
    judge: Judge, row: Row, more: Sequence[str] = (), form: Sequence[str] = ()
) -> list[Tried]:
    """Runs `darshan try` on a row's program, with the remedies that its finding asks for, or those
    that further options name. form: `cured`, or nothing. Raises RuntimeError if that fails."""
    command, settings = [*judge.command(row), *form], judge.mpi_settings(row)
    with judge.folder(row) as folder:
        if row.place == FAR:
            slow = {**SLOW, **dict(row.settings), "SLOW_FOLDER": f"{folder}/"}
            command = preloading(judge.compiled(HERE / "slow.c"), through_env(slow) + command)
        if mpi := mpi_of(row):
            command = mpi.launch(ranks_on(row, settings, command))
            settings = dict(ROOT_MAY_RUN)
        more = [*more, "--yes-repeat"] if row.hosts else more
        words = [judge.build / "darshan", "try", *_OPTIONS, *more, "--", *command]
        done = finished(list(map(str, words)), cwd=folder, env=plain_environment() | settings)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip())
    rows = [r for r in json.loads(done.stdout)["remedies"] if r["result"] != "not tried"]
    return [_tried(r, row.ranks) for r in rows if "+" not in r["remedy"]]


def _tried(found: dict[str, Any], processes: int) -> Tried:
    numbers = (found.get("gain_seconds", 0.0) * processes, found.get("ratio", 0.0))
    return Tried(found["remedy"], found["result"], *numbers, found.get("low", 0.0))


def of_cure(judge: Judge, row: Row) -> list[Tried]:
    """Returns the results of all remedies for the program that was cured by hand, which has no
    problem. Raises RuntimeError if no trial can be made."""
    return try_row(judge, row, ("--all",), ("cured",))


def best(judge: Judge, row: Row) -> list[Tried]:
    """Returns the result of the remedy that gained most, among the proposed remedies and the
    remedies that NAMED has for the row. For a program without a problem, all remedies are tried.
    Raises RuntimeError if no trial can be made."""
    if not row.finding:
        return try_row(judge, row, ("--all",))
    asked = [tried for tried in try_row(judge, row) if tried.remedy not in NAMED.get(row.name, ())]
    asked.sort(key=lambda tried: (tried.result == "helped", tried.gain))
    named = try_row(judge, row, NAMED[row.name]) if row.name in NAMED else []
    return [*asked[-1:], *named]
