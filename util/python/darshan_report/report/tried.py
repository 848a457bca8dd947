"""Reads the results of `darshan try` for a log, from the file that the command writes next to the
log."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterable
from typing import Any

from ..classes import dataclass
from ..log import Log
from ..show.text import visible
from ..units import seconds

FORMAT, VERSION = "darshan-try", 1
ENDING = ".tried.json"
_LARGEST = 1 << 20  # bytes of the file; `darshan try` does not write a larger one
_PLACE = re.compile(r"^(\S+:\d+)  ")
# Time without a remedy / time with it: the lower bound of this ratio must reach LEAST_RATIO.
LEAST_RATIO = 1.10
LEAST_GAIN = 0.1  # seconds
HELPED, NOT_HELPED, CHANGED = "helped", "no gain shown", "changed the output"
MEASURED = "measured"  # the cost of a service, which is not a remedy
NO_RESULT = NOT_TRIED, UNDECIDED = "not tried", "undecided"


def path_of(log: str) -> str:
    """Returns the path of the file with results of `darshan try` next to a log: "x.tried.json" for
    "x.darshan"."""
    return f"{os.fspath(log).removesuffix('.darshan')}{ENDING}"


def identity(log: Log) -> str:
    """Returns text that distinguishes a log from others with the same name: its job id and start
    time."""
    return f"{log.info.jobid} {log.info.start:.3f}"


def content_of(log: str) -> str:
    """Returns the SHA-256 of a log's file, which identifies the log in a lake; "" if the file
    cannot be read."""
    whole = hashlib.sha256()
    try:
        with open(log, "rb") as file:
            while part := file.read(1 << 20):
                whole.update(part)
    except OSError:
        return ""
    return whole.hexdigest()


def cost(what: str, gain: float, whole: float, low: float) -> str:
    """Returns a clause on how much time a service costs. what: name of the service. gain: seconds
    by which runs without it were shorter. whole: seconds of a run with it. low: lower bound of the
    ratio of the two run times."""
    if low < LEAST_RATIO or gain < LEAST_GAIN:
        return f"{what} costs no time that these runs show"
    return f"{what} costs {seconds(gain)} of {seconds(whole)}"


@dataclass(frozen=True)
class Tried:
    """A remedy that `darshan try` tried for a finding. ratio: time without the remedy divided by
    the time with it; low: its lower bound. keep: the change that makes the remedy permanent; if the
    trial only measured a cost, what to do instead."""

    remedy: str  # its name
    helped: bool
    ratio: float
    low: float
    result: str  # HELPED, NOT_HELPED, CHANGED, MEASURED or another word
    keep: tuple[str, ...]  # lines "train.py:4  CODE"
    gain: float = 0.0  # seconds of a run
    whole: float = 0.0  # seconds of a run without the remedy

    @property
    def text(self) -> str:
        """Sentences on the gain of the remedy, and on how to make it permanent."""
        if self.result == MEASURED:
            instead = " or ".join(_PLACE.sub(r"\1: ", line) for line in self.keep)
            said = cost(self.remedy, self.gain, self.whole, self.low)
            return f"{said}.{f' Instead: {instead}.' if instead else ''}"
        if not self.helped:
            return f"{self.remedy}: {self.result}."
        gained = f"{self.ratio:.3g} x faster (at least {self.low:.3g} x)"
        lines = [_PLACE.sub(r"\1: ", line) for line in self.keep]
        kept = f" To keep it: {' or '.join(lines)}" if lines else ""
        return f"{self.remedy}: {gained}, same output.{kept}"


def number(row: dict[str, Any], name: str) -> float | None:
    """Returns the number called `name` in a row of results; None if it is missing or not finite."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # JSON allows integers of any length
        return None


def mean(row: dict[str, Any], name: str) -> float | None:
    """Returns the mean of the list called `name` in a row of results; None if the list is missing
    or empty, or has other values than finite numbers."""
    values = row.get(name)
    if not isinstance(values, list) or not values:
        return None
    known = [v for v in (number({name: value}, name) for value in values) if v is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _tried(row: dict[str, Any]) -> Tried:
    """Returns the result of one remedy from a file of results, which is untrusted: its texts are
    shortened, and missing numbers are 0."""
    keep = row.get("instead" if row.get("result") == MEASURED else "keep", [])
    return Tried(
        visible(str(row.get("remedy", ""))[:40]),
        row.get("result") == HELPED,
        number(row, "ratio") or 0.0,
        number(row, "low") or 0.0,
        visible(str(row.get("result", ""))[:40]),
        tuple(visible(str(text)[:300]) for text in keep[:2] if isinstance(text, str))
        if isinstance(keep, list)
        else (),
        number(row, "gain_seconds") or 0.0,
        mean(row, "baseline_seconds") or 0.0,
    )


def is_kept(path: str) -> bool:
    """Returns whether a result of `darshan try` may be written to this path: no file exists there,
    or the file is an earlier result. Any other file must not be replaced."""
    if not os.path.lexists(path):
        return True
    try:
        return bool(read_result(path))
    except (OSError, ValueError):
        return False


def read_result(path: str) -> tuple[dict[str, Any], int]:
    """Returns the results that `darshan try` wrote to a file, and the user id of the file's owner.
    Because any user may have created the file, links are not followed, and a pipe is neither waited
    for nor read. Raises OSError if the file cannot be opened or is a link, ValueError if it is not
    a result of this version."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise ValueError("the file is not a result of darshan try")
        try:
            whole = json.loads(file.read(_LARGEST))
        except RecursionError:
            raise ValueError("the file is JSON that is nested too deeply") from None
    if not isinstance(whole, dict) or (whole.get("format"), whole.get("version")) != (
        FORMAT, VERSION,
    ):  # fmt: skip
        raise ValueError("the file is not a result of darshan try")
    return whole, status.st_uid


def results_of(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the rows of a result file, one for each remedy that was measured; others, as well as
    values of another form, are left out. whole: the content of the file."""
    rows = whole.get("remedies")
    some = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [row for row in some if row.get("result") not in NO_RESULT]


def _owners(log: str) -> Iterable[int]:
    """Returns the user ids from whom a report on this log accepts results: the log's owner, root,
    and the user of this process. In a folder of all users, any user can put a file next to another
    user's log."""
    return {os.stat(log).st_uid, 0, os.getuid()}


def rows_beside(path: str, log: str, beside: str) -> list[dict[str, Any]]:
    """Returns the rows of a file with results, one for each remedy that was tried. Returns [] if
    the file is damaged, is about another log, or belongs to a user who is not accepted. log:
    identity() of the log. beside: path of the log."""
    try:
        whole, owner = read_result(path)
        if whole.get("log") != log or owner not in _owners(beside):
            return []
    except (OSError, ValueError):
        return []
    return results_of(whole)


def trials(log: Log) -> dict[str, list[Tried]]:
    """Returns the results of `darshan try` in the file beside a log, by the name of the diagnosis
    that proposed the remedy; empty if there is no such file, or it cannot be trusted."""
    found: dict[str, list[Tried]] = {}
    for row in rows_beside(path_of(log.path), identity(log), log.path):
        finding = row.get("finding")
        if isinstance(finding, str) and finding:
            found.setdefault(finding, []).append(_tried(row))
    return found
