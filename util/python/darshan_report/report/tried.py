"""Reads the results of `darshan try` for a log, from the file that the command writes beside the
log."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from ..classes import dataclass
from ..log import Log
from ..show.text import visible

FORMAT, VERSION = "darshan-try", 1
_LARGEST = 1 << 20  # bytes of the file; a larger one is not ours
_PLACE = re.compile(r"^(\S+:\d+)  ")
_HELPED = "helped"
_NO_RESULT = ("not tried", "undecided")


def path_of(log: str) -> str:
    """Returns the path of the file beside a log."""
    return f"{os.fspath(log).removesuffix('.darshan')}.tried.json"


def identity(log: Log) -> str:
    """Returns a text that distinguishes a log from others with the same name: the job and its
    start."""
    return f"{log.info.jobid} {log.info.start:.3f}"


@dataclass(frozen=True)
class Tried:
    """A remedy that was tried for a finding."""

    remedy: str
    helped: bool
    ratio: float
    low: float
    result: str
    keep: tuple[str, ...]

    @property
    def text(self) -> str:
        """Returns sentences on the gain of the remedy, and on what to write to keep it."""
        if not self.helped:
            return f"{self.remedy}: {self.result}."
        gained = f"{self.ratio:.3g} x faster (at least {self.low:.3g} x)"
        lines = [_PLACE.sub(r"\1: ", line) for line in self.keep]
        kept = f" To keep it: {' or '.join(lines)}" if lines else ""
        return f"{self.remedy}: {gained}, same output.{kept}"


def _number(row: dict[str, Any], name: str) -> float:
    value = row.get(name, 0.0)
    return float(value) if isinstance(value, (int, float)) else 0.0


def _tried(row: dict[str, Any]) -> Tried:
    keep = row.get("keep", [])
    return Tried(
        visible(str(row.get("remedy", ""))[:40]),
        row.get("result") == _HELPED,
        _number(row, "ratio"),
        _number(row, "low"),
        visible(str(row.get("result", ""))[:40]),
        tuple(visible(str(text)[:300]) for text in keep[:2] if isinstance(text, str))
        if isinstance(keep, list)
        else (),
    )


def is_kept(path: str) -> bool:
    """Returns whether a result may be written to this path: there is no file, or an earlier result.
    Any other file belongs to the user, or is a link that another user made."""
    if not os.path.lexists(path):
        return True
    try:
        if os.path.islink(path) or os.path.getsize(path) > _LARGEST:
            return False
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and whole.get("format") == FORMAT


def rows_beside(path: str, log: str) -> list[dict[str, Any]]:
    """Returns the rows of a file beside a log, one for each remedy that was tried. A file that is
    damaged, or that is about another log, has none. log: from identity()."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return []
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        if (whole["format"], whole["version"], whole["log"]) != (FORMAT, VERSION, log):
            return []
        rows = [row for row in whole["remedies"] if isinstance(row, dict)]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []
    return [row for row in rows if row.get("result") not in _NO_RESULT]


def trials(log: Log) -> dict[str, list[Tried]]:
    """Returns the remedies that were tried, by the name of the finding that asked for them."""
    found: dict[str, list[Tried]] = {}
    for row in rows_beside(path_of(log.path), identity(log)):
        finding = row.get("finding")
        if isinstance(finding, str) and finding:
            found.setdefault(finding, []).append(_tried(row))
    return found
