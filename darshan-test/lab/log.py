"""Reads logs through darshan-parser. This file is the only one that splits the rows of its
output."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SECONDS = 120  # limit for reading a log
# Counters of which the values of several processes are combined by maximum, not by sum.
BY_MAXIMUM = re.compile(r"_MAX_BYTE_|_ALIGNMENT$|_MODE$|_RENAMED_FROM$|TIMESTAMP$")
# Prefixes of counters that differ from the name of their module, with that name.
OTHER_NAMES = {"MPIIO": "MPI-IO", "MPI": "APMPI", "BGQ": "BG/Q"}
# Times in seconds, as they are printed: those of APMPI have no F in their names.
FRACTION = re.compile(r"-?\d+\.\d+")
# Counters whose values identify something: of several values the first one stays.
IDENTIFIERS = re.compile(r"_REC_ID$")

Number = float  # a counter is an int, a time is a float
Records = dict[tuple[str, str], dict[str, Number]]  # (module, name) -> counter -> value


def number(counter: str, text: str) -> Number | None:
    """Returns the value of a counter; None if the value is no number but a name, as of a host."""
    try:
        return float(text) if "_F_" in counter else int(text)
    except ValueError:
        return float(text) if FRACTION.fullmatch(text) else None


class Row(NamedTuple):
    """A row of darshan-parser: one counter of one record."""

    module: str
    rank: int
    record: int
    counter: str
    text: str  # the value as it is printed
    name: str  # of the record, usually a path; as it is printed
    mount: str
    kind: str  # of the file system

    @property
    def value(self) -> Number:
        """Returns the counter's value, which must be a number."""
        found = number(self.counter, self.text)
        assert found is not None, self
        return found

    @property
    def short(self) -> str:
        """Returns the counter's name without the prefix of its module."""
        return self.counter.removeprefix(f"{self.module.replace('-', '')}_")


class RefusedError(ValueError):
    """The error if darshan-parser exits with a status other than 0; has the parser's message."""


def row_of(line: str) -> Row:
    """Returns the Row of a line of output. Raises ValueError if the line has other columns."""
    module, rank, record, counter, text, name, mount, kind = line.split("\t")
    return Row(module, int(rank), int(record), counter, text, name, mount, kind)


def rows_in(text: str, *modules: str) -> list[Row]:
    """Returns the rows in output of darshan-parser, of these modules; of all modules if none is
    given."""
    lines = (line for line in text.split("\n") if line and not line.startswith("#"))
    return [row for row in map(row_of, lines) if not modules or row.module in modules]


def parsed(parser: Path, log: str | Path, *options: str) -> str:
    """Returns the output of darshan-parser with these options; bytes of names that are not UTF-8
    become surrogates. Raises RefusedError if the parser fails, and TimeoutExpired after SECONDS."""
    done = subprocess.run(
        [parser, *options, log],
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise RefusedError(f"darshan-parser {log}: {done.stderr}")
    return done.stdout


def read_rows(parser: Path, log: str | Path, *modules: str) -> list[Row]:
    """Returns the rows of a log, which may be partial, of these modules; of all modules if none is
    given."""
    return rows_in(parsed(parser, log, "--show-incomplete"), *modules)


def add(counters: dict[str, Number], counter: str, value: Number) -> None:
    """Combines a value with the one that the counter has, if any: by maximum for BY_MAXIMUM, by sum
    for other counters; of IDENTIFIERS the first value stays."""
    if counter not in counters:
        counters[counter] = value
    elif BY_MAXIMUM.search(counter):
        counters[counter] = max(counters[counter], value)
    elif not IDENTIFIERS.search(counter):
        counters[counter] += value


def owners(counter: str) -> list[str]:
    """Returns the modules that a counter may belong to, according to its prefix."""
    words = counter.split("_")
    prefixes = ["_".join(words[:count]) for count in range(1, len(words))]
    return [OTHER_NAMES.get(prefix, prefix) for prefix in prefixes]


@dataclass
class Log:
    """The contents of one log or of several logs."""

    header: dict[str, str] = field(default_factory=dict)  # of the last log; the longest run time
    metadata: dict[str, str] = field(default_factory=dict)
    records: Records = field(default_factory=dict)  # summed over ranks and logs; see add()
    ids: dict[str, int] = field(default_factory=dict)  # name of a record -> its id
    text: str = ""  # everything that darshan-parser printed
    modules: tuple[str, ...] = ()  # keep records of these modules only; empty: of all

    def add(self, text: str) -> None:
        """Adds the output of darshan-parser for another log. Records with the same module and name
        are combined. The output may have millions of rows, so this makes no Row of each."""
        self.__dict__.pop("rows", None)
        self.text += text
        header: dict[str, str] = {}
        last: tuple[str, ...] = ()
        counters: dict[str, Number] = {}
        for line in text.split("\n"):
            if line and line[0] != "#":
                module, _, record, counter, value, owner = line.split("\t", 5)
                if self.modules and module not in self.modules:
                    continue
                if (module, record, owner) != last:  # rows of one record follow each other
                    last = module, record, owner
                    name = owner.split("\t", 1)[0].replace("\\t", "\t")
                    self.ids[name] = int(record)
                    counters = self.records.setdefault((module, name), {})
                found = number(counter, value)
                if found is None:
                    continue
                if counter in counters:
                    add(counters, counter, found)
                else:
                    counters[counter] = found
            elif line.startswith("# metadata: "):
                key, _, value = line.removeprefix("# metadata: ").partition(" = ")
                self.metadata[key] = value
            elif line.startswith("# ") and ": " in line:
                key, _, value = line[2:].partition(": ")
                header.setdefault(key, value)
        if float(header.get("run time", "0")) < self.run_time:
            header.pop("run time", None)
        self.header |= header

    @cached_property
    def rows(self) -> list[Row]:
        """Returns all rows, also those of modules that `modules` leaves out. darshan-parser prints
        a tab in a name as two characters; this restores the tab."""
        rows = rows_in(self.text)
        if "\\t" not in self.text:
            return rows
        return [row._replace(name=row.name.replace("\\t", "\t")) for row in rows]

    @property
    def run_time(self) -> float:
        """Returns the run time in seconds; of several logs, the longest one."""
        return float(self.header.get("run time", "0"))

    def value(self, name: str, counter: str) -> Number:
        """Returns the value of a counter in the records with this name; 0 if there is none. The
        module is known from the counter's name."""
        found = (self.records.get((module, name), {}) for module in owners(counter))
        return sum(row.get(counter, 0) for row in found)

    def total(self, counter: str, name: str | None = None) -> Number:
        """Returns the sum of a counter over the records with this name, or over all records if name
        is None."""
        found = (row for (_, of), row in self.records.items() if name in (None, of))
        return sum(row.get(counter, 0) for row in found)

    def of(self, module: str) -> dict[str, dict[str, Number]]:
        """Returns the counters of a module's records, by the names of the records."""
        return {name: row for (of, name), row in self.records.items() if of == module}

    def cell(self, module: str, rank: int, name: str, counter: str) -> Number:
        """Returns the value of a counter in the only record of a rank with this name. Raises
        ValueError if there is no such record, or more than one."""
        wanted = (module, rank, name, counter)
        (row,) = (row for row in self.rows if (*row[:2], row.name, row.counter) == wanted)
        return row.value

    def ranks(self) -> set[int]:
        """Returns the ranks that have records; -1 stands for records that all ranks share."""
        return {row.rank for row in self.rows}

    def names(self) -> set[str]:
        """Returns the names of all records."""
        return {row.name for row in self.rows}

    @property
    def groups(self) -> dict[str, int]:
        """Returns the number of files in each group record, by the record's name."""
        lines = (line for line in self.text.split("\n") if "\tGROUP_FILES\t" in line)
        return {row.name.replace("\\t", "\t"): int(row.text) for row in map(row_of, lines)}


def read_logs(parser: Path, *logs: str | Path, modules: Sequence[str] = ()) -> Log:
    """Returns the contents of logs, which may be partial. modules: those whose counters are kept;
    () for all. Raises RefusedError if a log cannot be read."""
    found = Log(modules=tuple(modules))
    for log in logs:
        found.add(parsed(parser, log, "--show-incomplete"))
    return found


def metadata_of(parser: Path, log: str | Path) -> dict[str, str]:
    """Returns the metadata of a log, which may be partial."""
    return read_logs(parser, log).metadata


def times_in_order(times: Mapping[str, float]) -> None:
    """Asserts that the times of a file say that it was opened, written, read and closed, in this
    order. times: by the names of the counters without the module's prefix."""
    words = ("OPEN", "WRITE", "READ", "CLOSE")
    first = [times[f"F_{word}_START_TIMESTAMP"] for word in words]
    assert first[0] > 0 and first == sorted(first)
    for word in words:
        assert times[f"F_{word}_START_TIMESTAMP"] <= times[f"F_{word}_END_TIMESTAMP"]
    for word in ("READ", "WRITE"):
        assert 0 < times[f"F_MAX_{word}_TIME"] <= times[f"F_{word}_TIME"] + 1e-6
