"""Reads a scheduler's accounting into the table batch_jobs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO, Any

from ..columns import BATCH_JOBS
from ..write.hide import Hide
from ..write.metadata import hidden_hosts
from . import flux, pbs, sacct
from .accounting import Refusals, lines, not_an_accounting, opened
from .replace_rows import Replaced, replace_rows

# A later row of the same job replaces an earlier one: a running job has ended, or was queued again.
_KEY = ("cluster", "job", "submitted")
_AT_ONCE = 50_000  # rows in memory


def _rows(file: IO[bytes], path: str, refused: Refusals) -> Iterator[dict[str, Any]]:
    """Yields the rows of an accounting file. The first line shows which scheduler wrote it. path:
    for messages. Raises LakeError if the scheduler is unknown."""
    first = file.readline(1 << 16)
    if first.lstrip()[:1] in (b"{", b"["):
        yield from flux.rows(first, file, path, refused)
        return
    line = first.decode("utf-8", "replace").rstrip("\r\n")
    rest = ((number + 1, text) for number, text in lines(file, refused))
    if sacct.is_header(line):
        # sacct -p, unlike -P, ends each line with a bar.
        if line.endswith("|"):
            rest = ((number, text[:-1] if text.endswith("|") else text) for number, text in rest)
        yield from sacct.rows(line.rstrip("|"), rest, refused)
    elif pbs.is_line(line):
        yield from pbs.rows(itertools.chain([(1, line)], rest), refused)
    else:
        raise not_an_accounting(path)


def _hidden(row: dict[str, Any], hide: Hide) -> dict[str, Any]:
    found = {**hide.row(BATCH_JOBS, row), "user": hide.text(row["user"])}
    if hide and found.get("hosts"):
        found["hosts"] = hidden_hosts(found["hosts"], hide)
    return found


def collect(lake: str, path: str, hide: Hide) -> tuple[Replaced, Refusals]:
    """Adds the jobs of an accounting file to the lake. Returns how many were added and replaced,
    and which lines were refused. Raises LakeError if the file is no accounting, or OSError if it
    cannot be read."""
    refused, sums = Refusals(), Replaced()
    with opened(path) as file:
        made = (_hidden(row, hide) for row in _rows(file, path, refused))
        while some := list(itertools.islice(made, _AT_ONCE)):
            sums += replace_rows(lake, BATCH_JOBS, some, _KEY)
    return sums, refused
