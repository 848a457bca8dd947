"""Dates and durations that users type: 2026-11-22, 2026-11-22T03:30, or an age such as 7d."""

from __future__ import annotations

import datetime
import re

_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}
AGO = "24h, 7d, 8w, 2y"


def span(text: str) -> datetime.timedelta | None:
    """Parses a duration; returns None if the text is not a duration."""
    found = re.fullmatch(r"([0-9]{1,6})([hdwy])", text)
    return datetime.timedelta(hours=int(found[1]) * _HOURS[found[2]]) if found else None


def before(long: datetime.timedelta, now: datetime.datetime) -> datetime.datetime:
    """Returns the time that is the duration `long` before now; Python's first date if that would be
    earlier."""
    first = datetime.datetime.min.replace(tzinfo=now.tzinfo)
    return now - long if long < now - first else first


def ago(text: str, now: datetime.datetime) -> datetime.datetime | None:
    """Parses an age such as 7d. Returns the time that is this long before now; None if the text is
    no age."""
    long = span(text)
    return None if long is None else before(long, now)


def utc() -> datetime.datetime:
    """Returns the current time in UTC."""
    return datetime.datetime.now(datetime.timezone.utc)


def moment(text: str) -> datetime.datetime:
    """Parses a time, or an age such as 7d, and returns the time in UTC. Raises ValueError for other
    text."""
    found = ago(text, utc()) or datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)


def day(text: str) -> datetime.date:
    """Parses a date, or an age such as 7d, and returns the date in UTC. Raises ValueError for other
    text."""
    found = ago(text, utc())
    return found.date() if found else datetime.date.fromisoformat(text)
