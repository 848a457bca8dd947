"""The command darshan ask: runs a ready query or SQL, and prints the result as a table, CSV, JSON
or Parquet."""

from __future__ import annotations

import argparse
import datetime
import os
import re
from typing import Any

from ...show import signal_exit
from ...show.output import replace, standard_output, write_text
from ...show.text import visible
from ...units import plural
from .. import dates
from ..ask import changes
from ..ask.engine import Asked
from ..ask.ready.questions import BY_NAME, CHANGES, QUESTIONS, TABLE, Filters, query
from ..ask.results.stream import Stream
from ..ask.results.written import write
from ..ask.slower import LEAST
from ..commit.storage import LakeError, settings
from .arguments import ASK as PROGRAM
from .errors import told
from .messages import say

_FROM = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
NOT_POSTED = 1  # exit status if changes could not be posted


def _moment(text: str) -> datetime.datetime:
    try:
        return dates.moment(text)
    except ValueError:
        raise LakeError(
            f"{text}: must be a time like 2026-11-22 or 2026-11-22T03:30, in UTC, or 12h for "
            "twelve hours ago"
        ) from None


def _values(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the parameters of a ready query from the options, by name; leaves out those that the
    user did not give. Raises LakeError for an invalid time."""
    values: dict[str, Any] = {"top": options.top}
    if options.date is not None:
        values["date"] = _moment(options.date).date()
    for name in ("from", "to"):
        text = getattr(options, f"{name}_")
        if text is not None:
            values[name] = _moment(text)
    if "from" in values and "to" in values and values["from"] >= values["to"]:
        raise LakeError(f"--to {options.to_}: must be after --from {options.from_}")
    if options.name is not None:
        values["name"] = options.name
    if options.job is not None:
        values["job"] = options.job
    if options.least is not None:
        values["least"] = options.least
    return values


def _day(text: str) -> str:
    try:
        return dates.day(text).isoformat()
    except ValueError:
        raise LakeError(
            f"{text}: must be a day like 2026-11-22, or 7d for seven days ago"
        ) from None


def _opened(options: argparse.Namespace) -> Asked:
    """Opens the lake. If the query is SQL, the views apply the filters of the options; ready
    queries apply them themselves."""
    for name in ("since", "until"):
        if getattr(options, name) is not None:
            setattr(options, name, _day(getattr(options, name)))
    if options.sql is None:
        return Asked(options.lake, memory=options.memory)
    beside = {os.path.splitext(os.path.basename(file))[0]: file for file in options.beside}
    found = {name: getattr(options, name) for name in ("since", "until", "program")}
    only = {name: value for name, value in found.items() if value is not None}
    return Asked(options.lake, options.user, options.memory, only=only, beside=beside)


def _asked(lake: Asked, options: argparse.Namespace) -> Stream:
    """Returns the result of the query that the options name, ready or SQL. Raises LakeError if
    there is no such query, or if a parameter is missing."""
    typed = options.form == "parquet"
    if options.sql is not None:
        return lake.stream(options.sql, typed=typed)  # the lake was opened with the filters
    question = BY_NAME.get(options.question)
    if question is None:
        known = ", ".join((*BY_NAME, CHANGES))
        raise LakeError(f"unknown question {options.question}; use one of {known}")
    values = _values(options)
    lacks = [f"--{name}" for name in question.needs if name not in values]
    if lacks:
        raise LakeError(f"{question.name} needs {' and '.join(lacks)}")
    filters = Filters(options.since, options.until, options.user, options.program)
    return lake.stream(*query(question, filters, values), typed=typed)


def _verify(lake: Asked, options: argparse.Namespace) -> None:
    """Verifies the files that the query may read. Raises LakeError for the first one that
    differs."""
    if options.sql is not None:  # the views of the lake apply the filters
        lake.verify(lake.tables_of(options.sql), options.since, options.until)
        return
    question = BY_NAME.get(options.question)
    if question is None:
        lake.verify({"jobs"} if options.question == CHANGES else set(), None, options.until)
        return
    tables = {True: set[str](), False: set[str]()}
    for found in TABLE.finditer(question.sql):
        tables[bool(found[1])].add(found[2])
    lake.verify(tables[False], options.since, options.until)
    lake.verify(tables[True], options.since)
    others = _FROM.findall(TABLE.sub("", question.sql))  # of all days
    lake.verify(set(others) & set(lake.tables))


def _changes(lake: Asked, options: argparse.Namespace) -> int:
    """Writes the programs that became slower; without --form, one line of text each. Returns the
    exit status. Raises LakeError without --since."""
    if options.since is None:
        raise LakeError(f"{CHANGES} needs --since")
    filters = Filters(until=options.until, user=options.user, program=options.program)
    least = LEAST if options.least is None else options.least
    found = changes.changes(lake, datetime.date.fromisoformat(options.since), filters, least)
    some, more = found[: options.top], len(found) - options.top
    if options.form != "table":
        _write(Stream.of(changes.table(some)), options.form, options.output)
    else:
        lines = [visible(one.says) for one in some]
        lines += [f"{plural(more, 'more change')} (--top)"] if more > 0 else []
        write_text("".join(f"{line}\n" for line in lines), options.output)
    return _alarm(options, found)


def _alarm(options: argparse.Namespace, found: list[changes.Change]) -> int:
    """Posts the changes to the webhook, if there are changes and a webhook. Returns the exit
    status: without a webhook, 1 if there are changes; with one, 1 if they could not be posted; else
    0."""
    if not found or options.webhook is None:
        return changes.CHANGED if found else 0
    from . import webhook  # noqa: PLC0415 - the modules of HTTP take time

    content = webhook.body(options.lake, options.since, found, options.top)

    def post() -> int:
        webhook.post(options.webhook, content)
        return 0

    return told(PROGRAM, post, NOT_POSTED)


def _write(answer: Stream, form: str, target: str) -> None:
    if target == "-":
        write(answer, form, standard_output())
    else:
        replace(target, lambda file: write(answer, form, file))


def _list() -> int:
    named = [*((q.name, q.title) for q in QUESTIONS), (CHANGES, changes.TITLE)]
    width = max(len(name) for name, _ in named)
    for name, title in named:
        print(f"{name:<{width}}  {title}")
    return 0


def _run(options: argparse.Namespace) -> int:
    if options.question is None and options.sql is None:
        settings(options.lake)  # is it one?
        return _list()

    def end(why: str) -> None:
        say(PROGRAM, why)
        signal_exit.leave(options.failed)

    with _opened(options) as lake, lake.limited(lake.limits(options.timeout), end):
        try:
            if options.verify:
                _verify(lake, options)
            if options.question == CHANGES:
                return _changes(lake, options)
            answer = _asked(lake, options)
            _write(answer, options.form, options.output)
        except (ValueError, OverflowError) as error:  # for example a date before the year 1
            words = str(error).partition("\n")[0]
            raise LakeError(f"cannot write a value of the result: {words}") from None
    return 0


def main(options: argparse.Namespace) -> int:
    """Runs darshan ask and returns its exit status: 0, options.failed after an error, and of the
    question changes 1 if there are any."""
    return told(PROGRAM, lambda: _run(options), options.failed)
