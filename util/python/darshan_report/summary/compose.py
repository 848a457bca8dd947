"""The order of the sections: one log becomes one report."""

from __future__ import annotations

import os

from ..diagnose.limits import Limits
from ..log import Log
from .context import Context
from .model import Paragraph, Report
from .sections import accesses, datasets, files, findings, heat, job, layers, names, notes, traces
from .text import shorten


def compose(log: Log, limits: Limits | None = None) -> Report:
    """The report of an open log.  A module that is damaged becomes a warning in it."""
    return compose_context(Context(log, limits))


def compose_context(context: Context) -> Report:
    """The same for a context that is there already."""
    log = context.log
    warnings = [Paragraph(f"Caution: {text}") for text in notes.warnings(context)]
    behind = [
        *findings.full(context),
        *datasets.blocks(context),
        *heat.blocks(context),
        *traces.blocks(context),
        *files.per_layer(context),
        *accesses.blocks(context),
        *notes.blocks(context),
    ]
    blocks = [
        *job.answer(context),
        *warnings,
        *findings.top(context),
        *job.blocks(context),
        *layers.blocks(context),
        *layers.sizes(context),
        *files.top(context),
        *behind,
    ]
    return Report(
        title=f"I/O report: {shorten(os.path.basename(log.path), 80)}",
        blocks=blocks + names.blocks(context),
    )
