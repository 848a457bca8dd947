"""Finds calls of the C library that format or parse numbers (fprintf, fscanf), whose time is mostly
the conversion."""

from __future__ import annotations

import re

from ...call_sites.measured import READ, WRITE
from ...classes import dataclass
from ...units import amount, count, seconds
from ..facts import Facts, once
from ..finding import Remedy
from ..times.loops import loops_of

_FORMATS = re.compile(r"(?:__)?v?f?w?printf(?:_chk)?|fprintf_unlocked")
_PARSES = re.compile(r"(?:__isoc\d+_)?v?fw?scanf")
WRITE_TEXT = Remedy(
    "Write numbers as they are in memory: nothing is formatted, and the next program need not "
    "parse them. If people must read the file, write fewer digits or fewer lines.",
    "C: fwrite(values, sizeof *values, number, stream);  // once for many numbers",
)
READ_TEXT = Remedy(
    "If the file is read more than once, convert it once to a binary format. Otherwise read the "
    "whole file and parse it with strtod, which is faster than fscanf.",
    "C: fread(values, sizeof *values, number, stream);  // of a binary file\n"
    "C: fread(text, 1, size, stream);  value = strtod(at, &at);  // in place of fscanf",
)


@dataclass(frozen=True)
class TextCalls:
    """Calls of the C library that format numbers as text, or that parse them, of the whole run.
    kind: WRITE for formatting, READ for parsing."""

    kind: int
    function: str  # the function that took most time
    seconds: float  # in these calls
    calls: int
    bytes: int  # of text

    @property
    def title(self) -> str:
        """The title of a finding about these calls."""
        if self.kind == WRITE:
            return "Writing numbers as text takes much of the run"
        return "Reading numbers from text takes much of the run"

    @property
    def words(self) -> str:
        """A clause that says how many calls there were and what they did. It ends a sentence that
        begins with their time."""
        did = "formatted" if self.kind == WRITE else "parsed"
        return (
            f"{count(self.calls)} calls of {self.function}, which {did} {amount(self.bytes)} of "
            f"text: {seconds(self.seconds / max(1, self.calls))} for "
            f"{amount(self.bytes / max(1, self.calls))} each"
        )


@once
def text_calls(facts: Facts) -> TextCalls | None:
    """Returns the calls that format text or the calls that parse it, whichever took longer; None if
    there are no such calls, or no call sites."""
    known = loops_of(facts)
    if known is None:
        return None
    best: TextCalls | None = None
    for kind, pattern in ((WRITE, _FORMATS), (READ, _PARSES)):
        sums = [
            (site.sums.seconds, site.stack.called, site.sums.calls_of[kind], site.sums)
            for loop in known.groups
            for site in loop.sites
            if site.sums.calls_of[kind] and pattern.fullmatch(site.stack.called)
        ]
        if not sums:
            continue
        spent = sum(row[0] for row in sums)
        if best is None or spent > best.seconds:
            name = max(sums, key=lambda row: row[0])[1].removeprefix("__isoc99_")
            moved = sum(row[3].written if kind == WRITE else row[3].read for row in sums)
            calls = sum(row[2] for row in sums)
            best = TextCalls(kind, name, float(spent), int(calls), int(moved))
    return best
