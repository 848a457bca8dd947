"""Parses the addresses of requests, which are untrusted."""

from __future__ import annotations

import datetime
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import field, replace

from ...classes import dataclass
from .. import dates
from ..ask.ready.questions import Filters

_LONGEST = 4096  # characters of a name
_FIELDS = 32
_LOG = re.compile(r"[0-9a-f]{32}")


class Refused(Exception):
    """An invalid or refused request. The message is one line for the client. status: of HTTP, such
    as 404."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True)
class Wanted:
    """The requested page and its parameters. page: its name; "" for the first page. log: identity
    of a log. week: its name, or a day in it."""

    page: str
    filters: Filters = field(default_factory=Filters)
    name: str | None = None  # of a program or a user
    log: str = ""
    week: str = ""
    path: str = ""  # of a file or folder
    field: str = ""  # field of a form whose name must be completed

    def address(self, page: str, **more: str | None) -> str:
        """Returns the address of another page with the same filters. more: further parameters,
        which replace filters of the same name; None removes one. The address is relative, so that a
        proxy can serve all pages below a folder."""
        keep = {**_said(self.filters), **more}
        query = urllib.parse.urlencode({k: v for k, v in keep.items() if v is not None})
        return f"{page or '.'}?{query}" if query else page or "."


def _said(filters: Filters) -> dict[str, str | None]:
    return {
        "since": filters.since, "until": filters.until, "user": filters.user,
        "program": filters.program, "mount": filters.mount,
    }  # fmt: skip


def _day(given: Mapping[str, str], name: str) -> str | None:
    """Returns the day in a field of the request as text, 2026-11-22; None if the field is missing
    or empty. Raises Refused for other text than a day or an age."""
    text = given.get(name)
    if not text:
        return None
    try:
        if dates.span(text) is not None:
            return str(dates.day(text))
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError(text)
        return str(datetime.date.fromisoformat(text))
    except ValueError:
        raise Refused(
            400, f"{name}: must be a day like 2026-11-22, or 7d for seven days ago"
        ) from None


def _log(given: Mapping[str, str]) -> str:
    text = given.get("log", "")
    if text and not _LOG.fullmatch(text):
        raise Refused(400, "log: must be the identity of a log, 32 digits from 0 to f")
    return text


def wanted(target: str) -> Wanted:
    """Returns the request that an address (path and query) makes. Raises Refused if a field has an
    invalid value, or if fields are too many or too long."""
    path, _, query = target.partition("?")
    try:
        pairs = urllib.parse.parse_qsl(
            query, keep_blank_values=True, max_num_fields=_FIELDS, errors="strict"
        )
    except ValueError:
        raise Refused(400, "the address has too many fields, or is not UTF-8") from None
    given = dict(pairs)
    if any(len(value) > _LONGEST or "\0" in value for value in given.values()):
        raise Refused(400, "a name is too long or contains a NUL byte")
    filters = Filters(
        _day(given, "since"), _day(given, "until"), given.get("user") or None,
        given.get("program") or None, given.get("mount") or None,
    )  # fmt: skip
    return Wanted(
        path.lstrip("/"), filters, given.get("name"), _log(given), given.get("week", "")[:10],
        given.get("path", ""), given.get("field", "")[:10],
    )  # fmt: skip


def within(asked: Wanted, since: datetime.date, until: datetime.date) -> Wanted:
    """Returns the request restricted to the days from `since` to `until`, unless it already names a
    day."""
    filters = asked.filters
    if filters.since or filters.until:
        return asked
    return replace(asked, filters=replace(filters, since=str(since), until=str(until)))
