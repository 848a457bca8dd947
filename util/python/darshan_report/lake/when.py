"""Days and moments as people say them: 2026-11-22, 2026-11-22T03:30, or how long ago (7d)."""

from __future__ import annotations

import datetime
import re

_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}
AGO = "24h, 7d, 8w, 2y"


def span(text: str) -> datetime.timedelta | None:
    """How long that is; None: it is not said like that."""
    found = re.fullmatch(r"([0-9]{1,6})([hdwy])", text)
    return datetime.timedelta(hours=int(found[1]) * _HOURS[found[2]]) if found else None


def before(long: datetime.timedelta, now: datetime.datetime) -> datetime.datetime:
    """The moment so long before now; where there is no such day any more, the first of all."""
    first = datetime.datetime.min.replace(tzinfo=now.tzinfo)
    return now - long if long < now - first else first


def ago(text: str, now: datetime.datetime) -> datetime.datetime | None:
    """The same of how long as it is said; None, as above."""
    long = span(text)
    return None if long is None else before(long, now)


def utc() -> datetime.datetime:
    """Now."""
    return datetime.datetime.now(datetime.timezone.utc)


def moment(text: str) -> datetime.datetime:
    """In UTC; ValueError."""
    found = ago(text, utc()) or datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)


def day(text: str) -> datetime.date:
    """In UTC; ValueError."""
    found = ago(text, utc())
    return found.date() if found else datetime.date.fromisoformat(text)
