#!/usr/bin/env python3
"""Measures how many bytes of a lake each ready query of `darshan ask` reads: for all jobs, for the
last week, for one user and for one program.

    python3 darshan-test/bench/bytes_read.py LAKE [QUERY ...]

The bytes are those that the process reads by system calls (rchar) after the lake was opened."""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "duckdb", "darshan_report")

from bench.centre_pages import forget, read
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import QUESTIONS, Filters, query
from darshan_report.lake.look.week import newest_day
from darshan_report.units import amount

_WEEK = datetime.timedelta(days=6)


def _values(newest: datetime.date) -> Mapping[str, object]:
    """Returns values for the parameters of the ready questions, by parameter name. newest: the last
    day of the lake."""
    begin = datetime.datetime.combine(newest - _WEEK, datetime.time(2), datetime.timezone.utc)
    return {
        "top": 10, "date": newest - 7 * _WEEK, "name": "%/mesh.h5", "job": "1000008",
        "from": begin, "to": begin + datetime.timedelta(hours=2),
    }  # fmt: skip


def main() -> None:
    """Parses the command line and runs the measurement."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("lake")
    options.add_argument("question", nargs="*")
    chosen = options.parse_args()
    with Asked(chosen.lake) as asked:
        newest = newest_day(asked)
        assert newest is not None
        names = asked.sql('SELECT program, "user" AS who FROM jobs LIMIT 1').rows()[0]
        some = (
            ("all", Filters()), ("a week", Filters(since=str(newest - _WEEK))),
            ("a user", Filters(user=names["who"])),
            ("a program", Filters(program=names["program"])),
        )  # fmt: skip
        print(f"{'':<18}" + "".join(f"{word:>12}{'s':>6}" for word, _ in some))
        for question in QUESTIONS:
            if chosen.question and question.name not in chosen.question:
                continue
            found = []
            for _, filters in some:
                forget(chosen.lake)
                begun, before = time.monotonic(), read()
                asked.sql(*query(question, filters, _values(newest))).rows()
                found.append(f"{amount(read() - before):>12}{time.monotonic() - begun:>6.1f}")
            print(f"{question.name:<18}" + "".join(found), flush=True)


if __name__ == "__main__":
    main()
