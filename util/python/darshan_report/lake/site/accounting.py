"""Common parts of the readers of all schedulers' accounting: lines of limited length, and checked
values.

An accounting file is untrusted: users choose parts of it. If a value is impossible, only its line
is refused, never the file. No line takes more than a fixed amount of memory."""

from __future__ import annotations

import contextlib
import datetime
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, TypeVar

from ...classes import dataclass
from ..commit.storage import LakeError
from ..write import impossible

_Job = TypeVar("_Job")
LONGEST_LINE = 1 << 20  # bytes
_LONGEST_TEXT = 256  # characters
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MOST_ENERGY = 1e18  # joules
_ZONELESS = "%Y-%m-%dT%H:%M:%S"


class Refused(Exception):
    """A line of an accounting file is not used. The message has the reason."""


@dataclass
class Refusals:
    """The lines of an accounting file that were not used. number: of lines that were refused.
    first: the first of them, with the reason."""

    number: int = 0
    first: str = ""
    not_begun: int = 0  # jobs that wait in a queue

    def add(self, line: int, why: object) -> None:
        """Counts a refused line. line: its number. why: the reason, which is stored for the first
        one."""
        self.number += 1
        self.first = self.first or f"line {line}: {why}"


@contextlib.contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """A context with an open file, which is closed at the end; with standard input if the path is
    "-"."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with open(path, "rb") as file:
        yield file


def lines(file: IO[bytes], refused: Refusals) -> Iterator[tuple[int, str]]:
    """Yields number and text of each line that is not empty. Adds lines that are too long or not
    UTF-8 to `refused`."""
    number = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(data) > LONGEST_LINE:
            refused.add(number, "is longer than 1 MiB")
            while data and not data.endswith(b"\n"):
                data = file.readline(LONGEST_LINE + 1)
            continue
        try:
            text = data.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            refused.add(number, "is not UTF-8")
            continue
        if text:
            yield number, text


def word(value: Any, what: str, needed: bool = False) -> str | None:
    """Returns a value as text of one line; None if it is empty and not needed. what: its name in
    messages. Raises Refused for text that is too long or not printable, and for an empty value that
    is needed."""
    text = "" if value is None else str(value).strip()
    if not text and not needed:
        return None
    if not text:
        raise Refused(f"has no {what}")
    if len(text) > _LONGEST_TEXT or not text.isprintable():
        raise Refused(f"{what} is not a word of at most {_LONGEST_TEXT} characters")
    return text


def whole(value: Any, what: str, most: int = impossible.MOST_COUNT) -> int | None:
    """Returns a value as an integer from 0 to `most`; None if it is empty. what: its name in
    messages. Raises Refused for other values."""
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()):
        raise Refused(f"{what} {text[:40]!r} is not a whole number")
    if len(text) > 20 or int(text) > most:
        raise Refused(f"{what} {text[:40]} is too large")
    return int(text)


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return time.mktime(time.strptime(text, _ZONELESS))
    except (ValueError, OverflowError):
        raise Refused(f"{text[:40]!r} is not a time") from None


def moment(value: Any, what: str) -> datetime.datetime | None:
    """Returns a value as a time; None for 0 and for the words with which schedulers mark a missing
    time. The value is in seconds since 1970, or a date and time in the zone of this process. what:
    its name in messages. Raises Refused for other values."""
    text = "" if value is None else str(value).strip()
    if text in ("", "Unknown", "None", "N/A", "0", "0.0"):
        return None
    seconds = _seconds(text)
    if not (abs(seconds) < 1e12 and impossible.is_moment(int(seconds))):
        raise Refused(f"{what} {text[:40]!r} is not between the year 2000 and tomorrow")
    return _EPOCH + datetime.timedelta(microseconds=round(seconds * 1e6))


def joules(value: Any, unit: float = 1.0) -> float | None:
    """Returns an energy in joules; None if it is missing or impossible. unit: joules per unit of
    the value."""
    text = "" if value is None else str(value).strip()
    with contextlib.suppress(ValueError):
        found = float(text) * unit
        return found if 0 < found <= _MOST_ENERGY else None
    return None


def batch_job(scheduler: str, **values: Any) -> dict[str, Any]:
    """Returns a row of the table batch_jobs for a job that has begun. values: the other columns.
    Raises Refused if the job ended before it began."""
    started, ended = values["started"], values.get("ended")
    if ended is not None and ended < started:
        raise Refused("the job ended before it began")
    return {
        "log": None,
        "day": started.date(),
        "program": None,
        "scheduler": scheduler,
        **values,
    }


def jobs_begun(
    numbered: Iterable[tuple[int, _Job]],
    row_of: Callable[[_Job], dict[str, Any] | None],
    refused: Refusals,
) -> Iterator[dict[str, Any]]:
    """Yields row_of(job) for each job. numbered: jobs, each with its number for messages. row_of:
    returns None for a job that has not begun. Counts such jobs, and jobs for which row_of raises
    Refused, in `refused`."""
    for number, job in numbered:
        try:
            row = row_of(job)
        except Refused as why:
            refused.add(number, why)
            continue
        if row is None:
            refused.not_begun += 1
        else:
            yield row


def not_an_accounting(path: str) -> LakeError:
    """Returns an error that says that no reader knows the form of the file."""
    return LakeError(
        f"cannot read {path}: it is neither output of `sacct -P` with a header, nor an accounting "
        "log of PBS, nor output of `flux jobs --json`"
    )
