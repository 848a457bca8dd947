"""The command darshan annotate: a source file with the I/O of each line in the margin."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from ..called import called_as
from ..log import Log, open_log
from ..show.output import write_text
from ..show.text import visible
from ..units import amount, seconds
from . import told
from .command import UnusableError, run, sites_in
from .lines import Lines, Site
from .measured import Measured

PROGRAM = called_as("darshan-annotate")
_SOURCE_MOST = 16 << 20  # bytes of a source file
_TAB = 8
_ROW = "{:>10}{:>10}{:>10}{:>7}  {}"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Prints a source file with the I/O of each line in the margin: seconds in "
        "calls, calls and bytes. A call counts for the innermost line of this file. The run must "
        "have recorded call sites (darshan run --sites, or DARSHAN_SITES=1).",
        epilog="Exit status: 0; 1 if a file cannot be read, the log has no call sites, or none of "
        "them is in this file; 2 for a usage error.",
    )
    parser.add_argument("log", metavar="LOG")
    parser.add_argument("file", metavar="FILE", help="a source file of the program")
    return parser.parse_args(arguments)


def _files(found: Lines) -> set[str]:
    return {p.file for line in found.every for s in line.sites for p in s.places if p.file}


def _common(one: str, other: str) -> int:
    """Returns how many last components two paths have in common."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")))
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def file_in_log(found: Lines, path: str) -> str:
    """Returns the log's name of a source file: the same path, or the one whose last components are
    the same. Raises UnusableError if there is none, or several."""
    whole = os.path.realpath(path)
    files = {file: os.path.realpath(file) for file in _files(found) if file.startswith("/")}
    for file, there in files.items():
        if there == whole:
            return file
    scores = {file: _common(file, whole) for file in _files(found)}
    most = max(scores.values(), default=0)
    best = sorted(file for file, score in scores.items() if score == most)
    if most == 0:
        raise UnusableError("the log has no I/O call from this file")
    if len(best) > 1:
        raise UnusableError(f"the log has several files of this name: {', '.join(best[:3])}")
    return best[0]


def sums_of(sites: Iterable[Site], file: str) -> dict[int, Measured]:
    """Returns the sums of each line of a file: those of the sites whose innermost place in the file
    it is."""
    found: dict[int, Measured] = {}
    for site in sites:
        line = next((place.line for place in site.places if place.file == file), 0)
        if line:
            found.setdefault(line, Measured()).add(site.sums)
    return found


def _source(path: str) -> list[str]:
    """Returns the lines of a regular file."""
    with open(path, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UnusableError("is no regular file")
        text = file.read(_SOURCE_MOST).decode("utf-8", "replace")
    return text.removesuffix("\n").split("\n")


def rows(source: Sequence[str], sums: dict[int, Measured]) -> Iterator[str]:
    """Yields the lines with their margins, and those of which the source has no line."""
    yield _ROW.format("in calls", "calls", "bytes", "line", "source").rstrip()
    for number, text in enumerate(source, 1):
        margin = ("", "", "")
        if number in sums:
            one = sums[number]
            margin = (seconds(one.seconds), told.count(one.calls), amount(one.read + one.written))
        shown = visible(text.rstrip("\r").expandtabs(_TAB))
        yield _ROW.format(*margin, number, shown).rstrip()


def _notes(log: Log, path: str, source: Sequence[str], sums: dict[int, Measured]) -> Iterator[str]:
    """Yields what may be wrong with the margins."""
    if os.stat(path).st_mtime > log.info.start:
        yield "the file was changed after the run began, so lines may have moved"
    last = max(sums, default=0)
    if last > len(source):
        yield f"the log has I/O in line {last}, which the file does not have"


def _run(options: argparse.Namespace, say: Callable[[str], None]) -> None:
    with open_log(options.log) as log:
        found = sites_in(log, options.log, 1)
        try:
            source = _source(options.file)
            sites = [site for line in found.every for site in line.sites]
            sums = sums_of(sites, file_in_log(found, options.file))
        except UnusableError as error:
            raise UnusableError(f"{options.file}: {error}") from None
        for note in _notes(log, options.file, source, sums):
            say(f"{options.file}: {note}")
    write_text("\n".join([*rows(source, sums), ""]), "-")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    return run(PROGRAM, lambda: _arguments(arguments), _run)
