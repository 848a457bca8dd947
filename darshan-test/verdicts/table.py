"""The command: judges rows of the corpus, all or those whose name has a word, and counts."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from corpus import ROWS, Row
from judge import CURE, FALSE_ALARM, RIGHT, SILENT, WRONG, Judge, Verdict
from known import write


def chosen(words: Sequence[str]) -> list[Row]:
    """Rows with one of these words in the name; without words all."""
    return [row for row in ROWS if not words or any(word in row.name for word in words)]


def line_of(verdict: Verdict) -> str:
    """One line of the table."""
    gain = ""
    if verdict.gain is not None:
        judged = "in range" if verdict.in_range else "out of range"
        judged = judged if verdict.certain else "noise"
        gain = f"{verdict.stake:6.2f} s at stake, {verdict.gain:6.2f} s gained: {judged}"
    return f"{verdict.row.name:36} {verdict.outcome:12} {verdict.said:28} {gain}".rstrip()


def summary(verdicts: Sequence[Verdict]) -> list[str]:
    """What the corpus is for: a few numbers."""
    problems = [v for v in verdicts if v.row.finding]
    healthy = [v for v in verdicts if not v.row.finding]
    count = Counter(v.outcome for v in problems)
    first = count[RIGHT] + count[CURE]
    measured = [v for v in verdicts if v.gain is not None]
    certain = [v for v in measured if v.certain and v.outcome == RIGHT]
    share = f" ({100 * first / len(problems):.0f} %)" if problems else ""
    return [
        f"problems {len(problems)}: {first} right{share}, {count[WRONG]} wrong, "
        f"{count[SILENT]} silent; {count[CURE]} cures still accused",
        f"healthy {len(healthy)}: {sum(v.outcome == FALSE_ALARM for v in healthy)} false alarms",
        f"stakes {len(certain)}: {sum(v.in_range for v in certain)} in range, "
        f"{sum(not v.certain for v in measured)} left out for noise",
    ]


def main() -> None:
    """./dev verdicts [--quick] [--known] [NAME...]"""
    parser = argparse.ArgumentParser(prog="./dev verdicts")
    parser.add_argument("--quick", action="store_true", help="gains are not measured")
    parser.add_argument("--known", action="store_true", help="write down what is wrong today")
    parser.add_argument("name", nargs="*", help="part of a row's name; without one all")
    options = parser.parse_args()
    build = Path(os.environ["DARSHAN_BUILD"]).resolve()
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="darshan-verdicts-") as work:
        judge = Judge(build, Path(work))
        for row in chosen(options.name):
            verdicts.append(judge.verdict(row, measured=not options.quick))
            print(line_of(verdicts[-1]), flush=True)
    print("", *summary(verdicts), sep="\n")
    if options.known:
        write(verdicts)
