"""Dates and durations that users type: 2026-11-22, 2026-11-22T03:30, or an age such as 7d."""

from __future__ import annotations

import datetime
import re

_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}
AGO = "24h, 7d, 8w, 2y"


def span(text: str) -> datetime.timedelta | None:
    """Returns the duration that a text such as 7d names; None if the text is not a duration."""
    found = re.fullmatch(r"([0-9]{1,6})([hdwy])", text)
    return datetime.timedelta(hours=int(found[1]) * _HOURS[found[2]]) if found else None


def before(long: datetime.timedelta, now: datetime.datetime) -> datetime.datetime:
    """Returns the time that is the duration `long` before now; Python's first date if that would be
    earlier."""
    first = datetime.datetime.min.replace(tzinfo=now.tzinfo)
    return now - long if long < now - first else first


def ago(text: str, now: datetime.datetime) -> datetime.datetime | None:
    """Returns the time that is a duration, such as 7d, before `now`; None if the text is not a
    duration."""
    long = span(text)
    return None if long is None else before(long, now)


def utc() -> datetime.datetime:
    """Returns the current time in UTC."""
    return datetime.datetime.now(datetime.timezone.utc)


def moment(text: str) -> datetime.datetime:
    """Returns the time that a text names: a time in ISO 8601, in UTC unless it has a zone, or an
    age such as 7d. Raises ValueError for other text."""
    found = ago(text, utc()) or datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)


def day(text: str) -> datetime.date:
    """Returns the date that a text names: a date such as 2026-11-22, or an age such as 7d, then in
    UTC. Raises ValueError for other text."""
    found = ago(text, utc())
    return found.date() if found else datetime.date.fromisoformat(text)
