"""The command darshan annotate: source files with the I/O of each line in the margin."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from ...called import called_as
from ...log import Log, open_log
from ...show.output import write_text
from ...show.text import visible
from ...units import amount, seconds
from .. import sources, told
from ..lines import Lines
from ..measured import Measured
from .command import UnusableError, run, sites_in

PROGRAM = called_as("darshan-annotate")
_TAB = 8
_END = 1  # bash finds the end of a script in the line after its last one
_LISTED = "{:>10}{:>10}{:>10}  {}"
_ROW = "{:>10}{:>10}{:>10}{:>7}  {}"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Prints source files with the I/O of each line in the margin: seconds in "
        "calls, calls and bytes. A call counts for the innermost line of this file. The run must "
        "have recorded call sites (darshan run --sites, or DARSHAN_SITES=1).",
        epilog="Exit status: 0; 1 if a file cannot be read, the log has no call sites, or none of "
        "them is in this file; 2 for a usage error.",
    )
    parser.add_argument("log", metavar="LOG")
    parser.add_argument(
        "file", nargs="*", metavar="FILE", help="a source file of the program (default: all of "
        "them that the log names, without installed software)"
    )  # fmt: skip
    parser.add_argument(
        "--list", action="store_true", help="print the names of the source files, with their sums"
    )
    options = parser.parse_args(arguments)
    if options.list and options.file:
        parser.error("--list takes no FILE")
    return options


def _common(one: str, other: str) -> int:
    """Returns the number of equal components at the ends of two paths."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")))
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def file_in_log(found: Lines, path: str) -> str:
    """Returns the name that the log has for the source file `path`: the same path, or the one that
    has the most components at its end in common with it. Raises UnusableError if the log has no
    file with this name, or several that are equally similar."""
    whole = os.path.realpath(path)
    files = {
        file: os.path.realpath(file) for file in sources.files_of(found) if file.startswith("/")
    }
    for file, there in files.items():
        if there == whole:
            return file
    scores = {file: _common(file, whole) for file in sources.files_of(found)}
    most = max(scores.values(), default=0)
    best = sorted(file for file, score in scores.items() if score == most)
    if most == 0:
        raise UnusableError("the log has no I/O call from this file")
    if len(best) > 1:
        raise UnusableError(f"several files in the log may be this one: {', '.join(best[:3])}")
    return best[0]


def rows(source: Sequence[str], sums: dict[int, Measured]) -> Iterator[str]:
    """Yields the rows of the table: its heading, then each source line with its seconds, calls and
    bytes in the margin (empty if it has none). source: the lines of the file. sums: by line number,
    from 1."""
    yield _ROW.format("in calls", "calls", "bytes", "line", "source").rstrip()
    for number, text in enumerate(source, 1):
        margin = ("", "", "")
        if number in sums:
            one = sums[number]
            margin = (seconds(one.seconds), told.count(one.calls), amount(one.read + one.written))
        shown = visible(text.rstrip("\r").expandtabs(_TAB))
        yield _ROW.format(*margin, number, shown).rstrip()


def _notes(log: Log, path: str, source: Sequence[str], sums: dict[int, Measured]) -> Iterator[str]:
    """Yields reasons why the sums beside the lines may be wrong: the file was changed after the run
    began, or the log has I/O in a line that the file lacks. sums: by line number."""
    if sources.has_changed(path, log):
        yield "the file was changed after the run began, so lines may have moved"
    last = max(sums, default=0)
    if last > len(source) + _END:
        yield f"the log has I/O in line {last}, which the file does not have"


def _listed(log: Log, files: Sequence[sources.SourceFile]) -> Iterator[str]:
    """Yields a heading, then a row for each source file: its seconds, calls and bytes, and whether
    it was changed or cannot be read."""
    yield _LISTED.format("in calls", "calls", "bytes", "source")
    for file in files:
        whole, state = file.whole, sources.state(file.name, log)
        shown = visible(file.name) + (f" ({visible(state)})" if state else "")
        moved = amount(whole.read + whole.written)
        yield _LISTED.format(seconds(whole.seconds), told.count(whole.calls), moved, shown)


def _annotated(log: Log, found: Lines, path: str, say: Callable[[str], None]) -> list[str]:
    """Returns the lines of a source file with the sums of the log next to them. say: prints a
    reason why the sums may be wrong. Raises UnusableError if the file cannot be read or does not
    match the log."""
    try:
        source = sources.read(path)
        sites = [site for line in found.every for site in line.sites]
        sums = sources.sums_of(sites, file_in_log(found, path))
        notes = list(_notes(log, path, source, sums))
    except (UnusableError, sources.SourceError) as error:
        raise UnusableError(f"{path}: {error}") from None
    for note in notes:
        say(f"{path}: {note}")
    return list(rows(source, sums))


def _all(
    log: Log, found: Lines, paths: Sequence[str], say: Callable[[str], None]
) -> tuple[list[list[str]], list[str]]:
    """Returns the rows of each readable file, and the error messages for the other files. If
    `paths` has several files, the rows of a file begin with its name. say: prints a reason why a
    file's sums may be wrong."""
    shown, errors = [], []
    for path in paths:
        try:
            one = _annotated(log, found, path, say)
        except UnusableError as error:
            errors.append(str(error))
            continue
        shown.append([f"==> {visible(path)} <==", *one] if len(paths) > 1 else one)
    return shown, errors


def _run(options: argparse.Namespace, say: Callable[[str], None]) -> None:
    with open_log(options.log) as log:
        found = sites_in(log, options.log, 1)
        files = [] if options.file else sources.users_files(found)
        if not files and not options.file:
            raise UnusableError(f"{options.log} has no call site in a source file of the user")
        if options.list:
            write_text("\n".join([*_listed(log, files), ""]), "-")
            return
        shown, errors = _all(log, found, options.file or [file.name for file in files], say)
    write_text("\n\n".join("\n".join(one) for one in shown) + "\n" * bool(shown), "-")
    # Without a named file, some files of the log may be gone.
    is_error = bool(errors and (options.file or not shown))
    for error in errors[:-1] if is_error else errors:
        say(error)
    if is_error:
        raise UnusableError(errors[-1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan annotate and returns its exit status: 0, 1 if a file cannot be read or is not in
    the log's call sites, 2 for a usage error. arguments: by default those of the process."""
    return run(PROGRAM, lambda: _arguments(arguments), _run)
