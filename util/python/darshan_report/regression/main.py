"""The command darshan compare: its options, output and exit status."""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from ..called import called_as
from ..diagnose.limits import LimitError, Limits, read_limits
from ..library import LibraryMissing, LogError
from ..log import Log, open_log
from ..report.compare import compare
from ..report.context import Context
from ..show import blocks_text, signal_exit
from ..show.output import asked, write_text
from ..show.text import visible
from .conditions import Condition, ConditionError, Result, check, condition
from .measures import MEASURES, NEW, measured, problems

PROGRAM = called_as("darshan compare")
FORMAT, VERSION = "darshan-compare", 1
FAILED, ERROR = 1, 2  # exit statuses


def say(text: str) -> None:
    """Prints one line on stderr. Control characters, which names may contain, are escaped."""
    print(f"{PROGRAM}: {visible(text)}", file=sys.stderr)


def _condition(text: str) -> Condition:
    try:
        return condition(text)
    except ConditionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    listed = ", ".join(f"{m.name} ({m.meaning})" for m in MEASURES)
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Compares two logs, and fails if a condition holds: for continuous "
        "integration.",
        epilog=f"A condition is MEASURE, one of > >= < <=, and a number.  With a sign the number "
        f"is a change from BEFORE to AFTER: bytes_read>+10% or run_seconds>+5s.  Without a sign "
        f"it is a limit for AFTER: findings>0 or file_io_share>20%.  Units are % s ms us B KiB "
        f"MiB GiB TiB kB MB GB TB.  Measures: {listed}, {NEW} (problems of AFTER that BEFORE "
        f"does not have).  Bytes, calls and times are sums over processes and over the layers "
        f"next to the system, POSIX, STDIO and DFS.  Exit status: 0; 1 if a condition holds, or "
        f"a number that it needs is unknown; 2 for a usage error, or if a log cannot be "
        f"read.",
    )
    parser.add_argument("before", metavar="BEFORE", help="the log to compare with")
    parser.add_argument("after", metavar="AFTER", help="the log that conditions are for")
    parser.add_argument(
        "--fail-if", metavar="CONDITION", action="append", default=[], type=_condition,
        help="ends with exit status 1 if this holds; may be repeated",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="data instead of text")
    parser.add_argument(
        "-o", "--output", metavar="OUT", default="-", help="a file instead of standard output"
    )
    parser.add_argument(
        "--thresholds", metavar="FILE", help="other thresholds of findings: lines name = number"
    )
    return parser.parse_args(arguments)


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _data(one: Context, two: Context, results: list[Result]) -> dict[str, Any]:
    before, after = measured(one), measured(two)
    names = problems(one), problems(two)
    return {
        "format": FORMAT,
        "version": VERSION,
        "before": visible(one.log.path),
        "after": visible(two.log.path),
        "measures": {
            name: {"before": _number(before[name]), "after": _number(after[name])}
            for name in before
        },
        "findings": {
            "gone": [name for name in names[0] if name not in names[1]],
            "new": [name for name in names[1] if name not in names[0]],
            "kept": [name for name in names[1] if name in names[0]],
        },
        "conditions": [
            {
                "condition": result.condition.text,
                "before": _number(result.before),
                "after": _number(result.after),
                "holds": result.holds,
            }
            for result in results
        ],
        "failed": _failed(results),
    }


def _failed(results: list[Result]) -> bool:
    """Returns whether the comparison fails: a condition holds, or a number that it needs is
    unknown."""
    return any(result.holds is not False for result in results)


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.15g}"


def _lines(results: list[Result]) -> Iterator[str]:
    for result in results:
        word = {True: "FAILED", False: "passed", None: "UNKNOWN"}[result.holds]
        numbers = f"{_shown(result.before)} -> {_shown(result.after)}"
        yield f"{word}: {result.condition.text} ({result.condition.measure}: {numbers})"


def _results(conditions: list[Condition], one: Context, two: Context) -> list[Result]:
    before, after = measured(one), measured(two)
    known = problems(one)
    before[NEW], after[NEW] = 0, len([name for name in problems(two) if name not in known])
    return [check(wanted, before, after) for wanted in conditions]


def _opened(stack: ExitStack, path: str) -> Log:
    """Returns an open log, which `stack` will close. Raises LogError with the path in its
    message."""
    try:
        return stack.enter_context(open_log(path))
    except LogError as error:
        text = str(error)
        raise LogError(text if text.startswith(f"{path}: ") else f"{path}: {text}") from None


def _run(options: argparse.Namespace) -> int:
    limits = read_limits(options.thresholds) if options.thresholds else Limits()
    with ExitStack() as stack:
        one, two = (
            Context(_opened(stack, path), limits) for path in (options.before, options.after)
        )
        results = _results(options.fail_if, one, two)
        if options.json:
            text = json.dumps(_data(one, two, results), indent=2) + "\n"
        else:
            told = [*blocks_text.lines(compare(one, two)), *([""] if results else [])]
            text = "\n".join([*told, *_lines(results)]) + "\n"
        write_text(text, options.output)
        for context in (one, two):
            if context.incomplete:
                say(f"{context.log.path}: the log is incomplete; its numbers may be too small")
        if options.json or options.output != "-":
            for line in _lines([r for r in results if r.holds is not False]):
                say(line)
    if sys.stdout is not None:
        sys.stdout.flush()
    return FAILED if _failed(results) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan compare and returns its exit status: 0, 1 if a condition holds or a number that
    it needs is unknown, 2 for an error. arguments: by default those of the process."""
    options = asked(lambda: _arguments(arguments), say)
    try:
        return _run(options)
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)  # the process that reads the output has closed the pipe
    except (LogError, LimitError, LibraryMissing, ImportError) as error:
        say(str(error))
    except OSError as error:
        say(f"cannot write {error.filename or options.output}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python reports an error at exit
    return ERROR
