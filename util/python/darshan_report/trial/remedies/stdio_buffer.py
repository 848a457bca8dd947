"""The remedy that gives libc's streams a larger buffer, also if the program switched buffering
off."""

from __future__ import annotations

from ...diagnose.remedies.language import READ_BUFFER, WRITE_BUFFER, of_libc
from ...diagnose.rules.streams import stdio_bulk
from ..planning.case import Case, Plan
from ..planning.holding import who_else

NAME = "stdio-buffer"
WHAT = "gives streams of regular files (fopen) a buffer of 1 MiB"
CURES = ("unbuffered-stream", "line-buffered", stdio_bulk.NAME)
_SIZE = 1 << 20


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program opens no stream of a file, or
    another process or descriptor may use the file while a stream holds bytes back."""
    if why := who_else(case):
        return why
    return Plan(f"{NAME}={_SIZE}", keep=of_libc(READ_BUFFER if _reads(case) else WRITE_BUFFER))


def _reads(case: Case) -> bool:
    """Returns whether the finding is about streams that mostly read."""
    finding, table = case.finding, case.facts.table("STDIO")
    if finding is None or table is None or finding.name != stdio_bulk.NAME:
        return finding is not None and finding.name.endswith("-read")
    mine = [place for place, record in enumerate(table.ids) if int(record) in finding.covers]
    return bool(table["BYTES_READ"][mine].sum() > table["BYTES_WRITTEN"][mine].sum())
