"""Runs `darshan collect --scheduler` and `--servers`, which fill tables that do not come from
logs."""

from __future__ import annotations

import argparse

from ...units import count
from ..site import batch_jobs, series
from ..write.hide import Hide
from .arguments import COLLECT as PROGRAM
from .messages import say


def _scheduler(lake: str, path: str, hide: Hide) -> None:
    sums, refused = batch_jobs.collect(lake, path, hide)
    more = [f"{count(sums.replaced)} rows replaced"] if sums.replaced else []
    more += [f"{count(refused.not_begun)} have not begun"] if refused.not_begun else []
    more += [f"{count(refused.number)} lines refused"] if refused.number else []
    say(PROGRAM, "; ".join([f"{count(sums.rows)} batch jobs of {path}", *more]))
    if refused.first:
        say(PROGRAM, f"{path}: {refused.first}")


def _servers(lake: str, path: str, form: series.Form, hide: Hide) -> None:
    sums, refused = series.collect(lake, path, form, hide)
    more = [f"{count(sums.replaced)} rows replaced"] if sums.replaced else []
    if refused.times:
        more += [f"{count(refused.times)} rows refused: no time between 2000 and now"]
    if refused.intervals:
        more += [f"{count(refused.intervals)} rows refused: no interval of a day at most"]
    say(PROGRAM, "; ".join([f"{count(sums.rows)} intervals of {path}", *more]))


def collect(lake: str, options: argparse.Namespace) -> None:
    """Adds the rows of the files of both options to the lake, and prints their numbers. lake: its
    path. Raises LakeError or OSError."""
    hide = Hide(options.obfuscate)
    for path in options.scheduler:
        _scheduler(lake, path, hide)
    form = series.Form(
        options.servers_columns,
        options.servers_mount,
        options.servers_values,
        options.servers_unit,
        options.servers_interval,
    )
    for path in options.servers:
        _servers(lake, path, form, hide)
