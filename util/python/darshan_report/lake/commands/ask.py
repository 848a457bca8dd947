"""darshan ask: runs a ready query or SQL; prints the result as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import argparse
import datetime
import os
import re
from typing import Any

from ...show.output import replace, standard_output
from .. import dates
from ..ask.engine import Asked
from ..ask.questions import BY_NAME, QUESTIONS, Filters, query
from ..ask.stream import Stream
from ..ask.written import write
from ..commit.storage import LakeError, settings
from .arguments import ASK as PROGRAM
from .errors import told


def _moment(text: str) -> datetime.datetime:
    try:
        return dates.moment(text)
    except ValueError:
        raise LakeError(
            f"{text}: must be a time like 2026-11-22 or 2026-11-22T03:30, in UTC, or 12h ago"
        ) from None


def _values(options: argparse.Namespace) -> dict[str, Any]:
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
    if options.least is not None:
        values["least"] = options.least
    return values


def _day(text: str) -> str:
    try:
        return dates.day(text).isoformat()
    except ValueError:
        raise LakeError(f"{text}: must be a day like 2026-11-22 or 7d ago") from None


def _opened(options: argparse.Namespace) -> Asked:
    """Opens the lake.  For SQL the views have the filters, because the query cannot."""
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
    typed = options.form == "parquet"
    if options.sql is not None:
        return lake.stream(options.sql, typed=typed)  # the lake was opened with the filters
    question = BY_NAME.get(options.question)
    if question is None:
        raise LakeError(f"unknown question {options.question}; use one of {', '.join(BY_NAME)}")
    values = _values(options)
    lacks = [f"--{name}" for name in question.needs if name not in values]
    if lacks:
        raise LakeError(f"{question.name} needs {' and '.join(lacks)}")
    filters = Filters(options.since, options.until, options.user, options.program)
    return lake.stream(*query(question, filters, values), typed=typed)


def _tables(lake: Asked, options: argparse.Namespace) -> set[str]:
    """Returns the tables that the query may read."""
    if options.sql is not None:
        return lake.tables_of(options.sql)
    question = BY_NAME.get(options.question)
    return set(re.findall(r"\{(\w+)\}", question.sql)) if question else set()


def _write(answer: Stream, form: str, target: str) -> None:
    if target == "-":
        write(answer, form, standard_output())
    else:
        replace(target, lambda file: write(answer, form, file))


def _list() -> int:
    width = max(len(q.name) for q in QUESTIONS)
    for question in QUESTIONS:
        print(f"{question.name:<{width}}  {question.title}")
    return 0


def _run(options: argparse.Namespace) -> int:
    if options.question is None and options.sql is None:
        settings(options.lake)  # is it one?
        return _list()
    with _opened(options) as lake:
        try:
            if options.verify:
                lake.verify(_tables(lake, options), options.since, options.until)
            answer = _asked(lake, options)
            _write(answer, options.form, options.output)
        except (ValueError, OverflowError) as error:  # for example a date before the year 1
            words = str(error).partition("\n")[0]
            raise LakeError(f"cannot write a value of the result: {words}") from None
    return 0


def main(options: argparse.Namespace) -> int:
    """Runs the command; returns its exit status."""
    return told(PROGRAM, lambda: _run(options))
