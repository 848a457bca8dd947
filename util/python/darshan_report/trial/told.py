"""Formats the results of darshan try, as text and as JSON."""

from __future__ import annotations

import json
import socket
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from ..classes import dataclass
from ..report.tried import FORMAT, HELPED, MEASURED, NOT_TRIED, VERSION, cost
from ..show.text import visible
from ..units import seconds
from .by_hand import Edit
from .comparing.effects import Effect
from .measure import UNASKED, Candidate

_NAME = 22  # characters
_WIDTH = 100


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _row(name: str, times: Sequence[float]) -> str:
    span = f"({seconds(min(times))} to {seconds(max(times))})"
    return f"{name:<{_NAME - 1}} {len(times):>2} runs {seconds(_mean(times)):>9}  {span}"


def _under(text: str) -> list[str]:
    room = " " * _NAME
    return textwrap.wrap(visible(text), _WIDTH, initial_indent=room, subsequent_indent=room)


def _compared(one: Candidate, partly: bool) -> str:
    found = one.found
    if found is None:
        return one.state
    way = "faster" if found.ratio >= 1 else "as fast"
    said = f"{found.ratio:.3g} x {way} (99 %: {found.low:.3g} to {found.high:.3g})"
    same = "same output, as far as it is compared" if partly else "same output"
    return f"{said}, {same}: {one.state}"


def _costs(one: Candidate, instead: Sequence[str]) -> Iterator[str]:
    """Yields lines on a plan that only measures the cost of a service (durability), and on what to
    do instead. instead: alternatives."""
    if one.found is not None and one.plan is not None:
        said = cost(one.plan.costs, one.found.gain, _mean(one.without), one.found.low)
        yield from _under(f"{said}. This is no remedy: without it, a crash loses data.")
        if one.found.helped:
            yield from _under(f"instead:  {' or '.join(instead)}")


def _of(
    one: Candidate, effects: Sequence[Effect], keep: Sequence[str], partly: bool
) -> Iterator[str]:
    """Yields the lines of the text about one remedy. keep: lines that make it permanent. partly:
    the outputs were compared only in part."""
    if one.found is None:
        reason = f": {one.reason}" if one.reason else ""
        first, *more = textwrap.wrap(visible(f"{one.state}{reason}"), _WIDTH - _NAME) or [""]
        yield f"{one.name:<{_NAME - 1}} {first}"
        yield from (" " * _NAME + line for line in more)
        return
    yield _row(one.name, one.with_it)
    yield from _under(_compared(one, partly))
    if effects:
        yield from _under("; ".join(effect.text for effect in effects))
    if one.state == HELPED:
        for number, row in enumerate(keep):
            yield " " * _NAME + ("to keep it:  " if number == 0 else " " * 13) + visible(row)
    if one.state == MEASURED:
        yield from _costs(one, keep)


def _by_hand(edits: Sequence[Edit]) -> Iterator[str]:
    """Yields lines on the changes for findings that no remedy can fix from outside."""
    for number, edit in enumerate(edits):
        lost = f": up to {seconds(edit.stake)}" if edit.stake > 0 else ""
        title = textwrap.wrap(visible(f"{edit.title}{lost}"), _WIDTH - _NAME)
        yield f"{'' if number else 'not from outside':<{_NAME}}{title[0]}"
        yield from (" " * _NAME + line for line in title[1:])
        before = f"edit {edit.place}:  " if edit.place else "edit:  "
        for row in edit.rows or textwrap.wrap(edit.text, _WIDTH - _NAME - len(before)):
            yield visible(" " * _NAME + before + row)
            before = " " * len(before)


@dataclass
class Result:
    """The result of a trial: baseline, remedies with their measurements, effects, and the code that
    makes a remedy permanent. All dictionaries are by the name of a remedy."""

    baseline: Sequence[float]  # seconds of the runs without a remedy
    candidates: Sequence[Candidate]
    effects: dict[str, list[Effect]] = field(default_factory=dict)  # by remedy
    # By remedy: the code to write to keep it, or what to do instead if it is only measured.
    keep: dict[str, list[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()  # sentences, such as which output was not compared
    findings: dict[str, str] = field(default_factory=dict)  # finding that proposes it, by remedy
    log: str = ""  # identity() of the log
    content: str = ""  # SHA-256 of the log
    edits: Sequence[Edit] = ()  # changes that only the user can make

    def text(self) -> str:
        """Returns the result as text."""
        rows = [_row("baseline", self.baseline)] if self.baseline else []
        for one in self.candidates:
            if one.reason in UNASKED:
                continue
            effects, keep = self.effects.get(one.name, []), self.keep.get(one.name, [])
            rows += _of(one, effects, keep, bool(self.notes))
        for reason in UNASKED:
            names = ", ".join(one.name for one in self.candidates if one.reason == reason)
            if names:
                rows += textwrap.wrap(
                    f"not tried: {reason}: {names}", _WIDTH, subsequent_indent=" " * _NAME,
                    break_on_hyphens=False,
                )  # fmt: skip
        rows += _by_hand(self.edits)
        for note in self.notes:
            rows += textwrap.wrap(visible(f"note: {note}"), _WIDTH)
        return "\n".join([*rows, ""])

    def as_json(self, command: Sequence[str], earlier: Sequence[dict[str, Any]] = ()) -> str:
        """Returns the result as JSON, as the file beside a log has it. command: the program and its
        arguments. earlier: rows of an earlier result, if there is one, which are kept for remedies
        that this trial did not try."""
        rows = [self._remedy(one) for one in self.candidates]
        untried = {row["remedy"] for row in rows if row["result"] == NOT_TRIED}
        again = {row["remedy"]: row for row in earlier if row.get("remedy") in untried}
        whole = {
            "format": FORMAT, "version": VERSION, "log": self.log, "log_sha256": self.content,
            "command": list(command),
            "baseline_seconds": list(self.baseline),
            "remedies": [again.get(row["remedy"], row) for row in rows],
            "by_hand": [edit.as_json for edit in self.edits],
            "notes": list(self.notes),
        }  # fmt: skip
        return json.dumps(whole, indent=1) + "\n"

    def _remedy(self, one: Candidate) -> dict[str, Any]:
        """Returns the result of one remedy as a dictionary for the file of results."""
        row: dict[str, Any] = {
            "remedy": one.name, "finding": self.findings.get(one.name, ""), "result": one.state,
            "reason": one.reason, "time": round(time.time(), 3), "host": socket.gethostname(),
            "compared_in_part": bool(self.notes),
        }  # fmt: skip
        if one.found is not None:
            row |= {
                "pairs": one.found.pairs, "ratio": one.found.ratio, "low": one.found.low,
                "high": one.found.high, "gain_seconds": one.found.gain, "seconds": one.with_it,
                "baseline_seconds": one.without,
                "keep": [], "instead": [],
                "instead" if one.state == MEASURED else "keep": self.keep.get(one.name, []),
                "changes": [
                    {"name": e.name, "before": e.before, "after": e.after}
                    for e in self.effects.get(one.name, [])
                ],
            }  # fmt: skip
        return row
