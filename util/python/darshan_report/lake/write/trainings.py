"""The rows of the tables epochs and checkpoints, from the data of the report's sections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...checkpoints.saves import checkpoints
from ...diagnose.facts import Facts
from ...diagnose.training.loading import Verdict, verdicts
from ...diagnose.training.making import part_of
from ...measure.fetches import Fetches
from ...measure.training import Span
from .jobs import Job

MOST = 10_000  # rows of a log: it may name any number of ranks
Row = dict[str, Any]


def _epoch(span: Span, made: Fetches | None = None) -> Row:
    """Returns the columns of an epoch, or of a sum of epochs, with its counts and seconds. made:
    how its batches were made; None if unknown."""
    return {
        "bytes_read": made.read if made else None,
        "storage_bytes": made.stored if made else None,
        "epochs": span.epochs,
        "batches": span.steps,
        "start_seconds": span.start,
        "seconds": span.whole,
        "wait_seconds": span.wait,
        "first_seconds": span.begin,
        "longest_seconds": span.longest,
    }


def _made(made: Fetches | None) -> Row:
    """Returns the columns about making batches; {} if that was not recorded."""
    if made is None:
        return {}
    return {
        "part": part_of(made),
        "made_seconds": made.whole,
        "opening_seconds": min(made.opening, made.files),
        "reading_seconds": max(0.0, made.files - made.opening),
        "computing_seconds": made.computing,
        "collate_seconds": made.collating,
        "idle_seconds": made.idle,
    }


def _loop(verdict: Verdict) -> Iterator[Row]:
    """Yields the rows of a training loop: one for the whole loop, then one per epoch and one per
    rank."""
    loader = verdict.loader
    same = {
        "file": loader.place.file or None if loader.place else None,
        "line": loader.place.line or None if loader.place else None,
        "processes": loader.processes,
        "num_workers": loader.workers,
        "batch_size": loader.batch_size,
        "why": verdict.why,
    }
    yield {**same, **_epoch(loader.sums, loader.made), **_made(loader.made)}
    for span in loader.epochs:
        yield {**same, **_epoch(span, loader.by_epoch.get(span.number)), "epoch": span.number}
    for span in loader.ranks:
        yield {**same, **_epoch(span), "rank": span.number}


def epoch_rows(job: Job, facts: Facts) -> list[Row]:
    """Returns the rows of a log for the table epochs, at most MOST: of each training loop, one for
    the whole loop, one per epoch and one per rank."""
    known = verdicts(facts)
    found = [
        {**job.whose, "number": number, **row}
        for number, verdict in enumerate(known, 1)
        for row in _loop(verdict)
    ]
    return found[:MOST]


def checkpoint_rows(job: Job, facts: Facts) -> list[Row]:
    """Returns the rows of a log for the table checkpoints, at most MOST."""
    return [
        {
            **job.whose,
            "number": number,
            "name": row.name,
            "saved_by": row.title,
            "from_calls": row.from_calls,
            "saves": row.saves,
            "rounds": row.rounds,
            "files": row.files,
            "replaced": row.replaced,
            "removed": row.removed,
            "processes": row.processes,
            "bytes_written": row.written,
            "seconds": row.wall,
            "interval_seconds": row.interval or None,
            "beside": row.beside,
        }
        for number, row in enumerate(checkpoints(facts)[:MOST], 1)
    ]
