"""Source code on the page, if the user requests it: the lines with I/O, of the files with the most
time.

The user may pass the page on, and an untrusted log may name any file of the user's machine as a
source. Therefore the page shows only files with the extension of a source file that are unchanged
since the run, and of these only lines with I/O and the lines around them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...call_sites import told
from ...call_sites.measured import Measured
from ...call_sites.sources import SourceError, SourceFile, has_changed, read, users_files
from ...log import Log
from ...units import amount, seconds
from ..context import Context
from .shell import text

_FILES = 3
_AROUND = 4  # lines before and after a line with I/O
_ROWS = 400  # most lines that are shown of a file
_BYTES = 1 << 20  # most bytes that are read of a file
_TAB, _WIDTH = 8, 200  # characters
_ENDINGS = re.compile(
    r"c|h|cc|cpp|cxx|c\+\+|hh|hpp|hxx|inl|cu|f|for|f77|f90|f95|f03|f08|ftn|inc|py|pyx|rs|go|java"
    r"|scala|kt|jl|r|m|js|ts|pl|pm|rb|lua|sh|bash|awk",
    re.IGNORECASE,
)


def _lines(file: SourceFile, log: Log) -> list[str]:
    """Returns the lines of a source file. Raises SourceError if the file may not be shown (it is
    not named as a source file, or was changed after the run began) or cannot be read."""
    if not _ENDINGS.fullmatch(os.path.splitext(file.name)[1][1:]):
        raise SourceError("is not named as a source file")
    if has_changed(file.name, log):
        raise SourceError("was changed after the run began")
    return read(file.name, _BYTES)


def _shown(lines: dict[int, Measured], number: int) -> list[int]:
    """Returns the numbers of the lines to show: lines with I/O, and some lines around them. lines:
    sums by line number. number: lines of the file."""
    found: set[int] = set()
    for line in sorted(lines, key=lambda line: -lines[line].seconds):
        around = range(max(1, line - _AROUND), min(number, line + _AROUND) + 1)
        if len(found.union(around)) > _ROWS:
            break
        found.update(around)
    return sorted(found)


def _rows(file: SourceFile, source: list[str]) -> Iterator[str]:
    """Yields the rows of the table of a source file: lines with I/O and their sums, and some lines
    around them."""
    before = 0
    for number in _shown(file.lines, len(source)):
        if number > before + 1:
            yield '<tr><td colspan="5">\u22ee</td></tr>'
        before = number
        sums = file.lines.get(number)
        margin = ("", "", "")
        if sums:
            moved = amount(sums.read + sums.written)
            margin = (seconds(sums.seconds), told.count(sums.calls), moved)
        code = source[number - 1].rstrip("\r").expandtabs(_TAB)[:_WIDTH]
        cells = "".join(f'<td class="right">{text(part)}</td>' for part in margin)
        kind = ' class="with-io"' if sums else ""
        yield (
            f'<tr{kind}>{cells}<th scope="row" class="right">{number}</th>'
            f'<td class="source">{text(code)}</td></tr>'
        )


def _table(file: SourceFile, source: list[str]) -> str:
    heads = "".join(
        f'<th scope="col" class="right">{words}</th>'
        for words in ("In calls", "Calls", "Bytes", "Line")
    )
    return (
        f"<h4>{text(file.name)}</h4>"
        f'<div class="scroll" tabindex="0"><table class="sources"><thead><tr>{heads}'
        f'<th scope="col">Source</th></tr></thead><tbody>{"".join(_rows(file, source))}'
        "</tbody></table></div>"
    )


def tables(context: Context) -> str:
    """Returns the tables of the source files with the most time; empty if no call site has a source
    line, or if the log has anonymized names."""
    found = context.code_lines
    if found is None or found.is_anonymous:
        return ""
    shown: list[str] = []
    reasons: list[str] = []
    for file in users_files(found):
        if len(shown) == _FILES:
            break
        try:
            shown.append(_table(file, _lines(file, context.log)))
        except SourceError as error:
            reasons.append(
                f'<p class="note">{text(file.name)} is left out: {text(str(error))}.</p>'
            )
    if not shown and not reasons:
        return ""
    note = (
        f'<p class="note">The {_FILES} files with the most time in I/O calls, {_AROUND} lines '
        "around each line with I/O. A call counts for the innermost line of the file that led to "
        "the call."
        "</p>"
    )
    return "".join(("<h3>Sources</h3>", note if shown else "", *shown, *reasons))
