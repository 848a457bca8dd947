"""The command: judges all rows of the corpus, or those with a given word in the name, and counts
the results."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import drishti
import real
import trials
from corpus import ROWS, Row
from judge import Judge, Verdict
from kept import Kept
from kept import write as write_gains
from known import write
from lab.findings import CURE, FALSE_ALARM, RIGHT, SILENT, TEXT, WRONG
from marks import RIGHT as RIGHT_LINE
from marks import SITES
from tree import build_folder


def chosen(words: Sequence[str]) -> list[Row]:
    """Returns rows with one of these words in the name; all rows if there are no words."""
    return [row for row in ROWS if not words or any(word in row.name for word in words)]


def line_of(verdict: Verdict) -> str:
    """Returns one line of the table."""
    gain = ""
    if verdict.gain is not None:
        judged = "in range" if verdict.in_range else "out of range"
        judged = judged if verdict.gain.certain else "noise"
        gain = f"{verdict.stake:6.2f} s at stake, {verdict.gain.seconds:6.2f} s gained: {judged}"
    line = f"line {verdict.line}" if verdict.line else ""
    return f"{verdict.row.name:36} {verdict.outcome:12} {verdict.said:28} {gain} {line}".rstrip()


def summary(verdicts: Sequence[Verdict]) -> list[str]:
    """Returns the summary of the results as lines."""
    problems = [v for v in verdicts if v.row.finding]
    healthy = [v for v in verdicts if not v.row.finding]
    count = Counter(v.outcome for v in problems)
    first = count[RIGHT] + count[CURE]
    measured = [v for v in verdicts if v.gain is not None]
    certain = [v for v in measured if v.gain.certain and v.outcome == RIGHT]
    share = f" ({100 * first / len(problems):.0f} %)" if problems else ""
    located = [v.line for v in verdicts if v.line]
    lines = [f"lines {len(located)}: {located.count(RIGHT_LINE)} right"] if located else []
    return [
        f"problems {len(problems)}: {first} right{share}, {count[WRONG]} wrong, "
        f"{count[SILENT]} silent; {count[CURE]} cures still accused; "
        f"{count[TEXT]} with wrong words",
        f"healthy {len(healthy)}: {sum(v.outcome == FALSE_ALARM for v in healthy)} false alarms",
        f"stakes {len(certain)}: {sum(v.in_range for v in certain)} in range, "
        f"{sum(not v.gain.certain for v in measured)} left out for noise",
        *lines,
    ]


def keep(verdict: Verdict, *, measured: bool) -> None:
    """Stores the judgement of a row; measured: also the measured and the predicted saving."""
    name = verdict.row.name
    write({name: verdict.wrong})
    if measured and verdict.gain:
        then = Kept(verdict.gain, verdict.said, verdict.stake)
        write_gains([(name, then)], [row.name for row in ROWS])


def judge_logs(build: Path, words: Sequence[str]) -> dict[str, str]:
    """Judges other users' logs: prints the errors and the number of right results."""
    judged = {}
    for row, log in real.logs():
        name = real.name_of(row)
        if not words or any(word in name for word in words):
            judged[name] = real.wrong(build, row, log)
            if judged[name]:
                print(f"{name:64} {judged[name]} (right: {', '.join(sorted(row.findings))})")
    missing = len(real.expected()) - len(real.logs())
    right = sum(not said for said in judged.values())
    print(f"logs of others {len(judged)}: {right} right", end="")
    print(f"; {missing} are not here" if missing else "")
    return judged


def ask_drishti(judge: Judge, words: Sequence[str], *, keep: bool) -> None:
    """Judges the tool Drishti with the same programs and logs. keep: whether to store the
    results."""
    program = drishti.command()
    if program is None:
        print("Drishti is left out: there is no program drishti (pip install drishti-io), nor "
              "does DRISHTI name one.")  # fmt: skip
        return
    version = drishti.version_of(program)

    def ask(name: str, right: frozenset[str], log: Path) -> None:
        found = drishti.said_of(program, log)
        outcome = drishti.outcome(right, found)
        print(f"{name:36} {outcome:12} {' '.join(sorted(found or ()))}".rstrip(), flush=True)
        if keep:
            drishti.write({name: found}, version)

    for row in chosen(words):
        ask(row.name, row.findings, judge.log_of(row))
    for expected, log in real.logs():
        name = real.name_of(expected)
        if not words or any(word in name for word in words):
            ask(name, expected.findings, log)


def try_remedies(judge: Judge, words: Sequence[str], *, keep: bool, cured: bool) -> None:
    """Tries remedies on programs, or on their cures, and prints what each gains."""
    for row in chosen(words):
        if cured and not row.finding:
            continue
        name = f"{row.name}{trials.CURED}" if cured else row.name
        try:
            found = trials.of_cure(judge, row) if cured else trials.best(judge, row)
        except RuntimeError as error:
            print(f"{name:36} {error}", flush=True)
            continue
        for one in found:
            numbers = f"{one.gain:6.2f} s gained, {one.ratio:.3g} x (at least {one.low:.3g} x)"
            print(f"{name:36} {one.remedy:20} {one.result:20} {numbers}", flush=True)
        if keep and found:
            trials.write({name: found})


def main() -> None:
    """Prints a verdict for each chosen row of the tables, and counts at the end."""
    parser = argparse.ArgumentParser(prog="./dev verdicts")
    parser.add_argument("--quick", action="store_true", help="gains are not measured")
    parser.add_argument("--keep", action="store_true", help="write down what came out")
    parser.add_argument("--sites", action="store_true", help="with call sites")
    parser.add_argument("--drishti", action="store_true", help="judge Drishti instead")
    parser.add_argument("--try", action="store_true", dest="tries", help="run darshan try on them")
    parser.add_argument("--cured", action="store_true", help="with --try: try cured programs")
    parser.add_argument("name", nargs="*", help="part of a row's name; without one all")
    options = parser.parse_args()
    build = build_folder()
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="darshan-verdicts-") as work:
        judge = Judge(build, Path(work))
        if options.drishti:
            ask_drishti(judge, options.name, keep=options.keep)
            return
        if options.tries:
            try_remedies(judge, options.name, keep=options.keep, cured=options.cured)
            return
        more = (SITES,) if options.sites else ()
        for chosen_row in chosen(options.name):
            row = replace(chosen_row, settings=(*chosen_row.settings, *more))
            verdicts.append(judge.verdict(row, measured=not options.quick))
            print(line_of(verdicts[-1]), flush=True)
            if options.keep:
                keep(verdicts[-1], measured=not options.quick)
    print("", *summary(verdicts), sep="\n")
    logs = judge_logs(build, options.name)
    if options.keep:
        write(logs)
