"""The command darshan digest: one week of a lake as text to send by mail."""

from __future__ import annotations

import argparse
import datetime
import os
from dataclasses import replace

from ...show import signal_exit
from ...show.output import write_text
from ..ask.engine import Asked
from ..look.digest import write
from ..look.markup import Mail, Markdown
from ..look.week import named, tell
from .arguments import DIGEST as PROGRAM
from .errors import told
from .messages import say


def _run(options: argparse.Namespace) -> int:
    week = named(options.week, datetime.datetime.now(datetime.timezone.utc).date())
    mail = options.text or os.path.splitext(options.output)[1].lower() == ".txt"

    def end(why: str) -> None:
        say(PROGRAM, why)
        signal_exit.leave(1)

    with Asked(options.lake, user=options.user, memory=options.memory) as lake:
        limits = replace(lake.limits(options.timeout), advice="select a user")
        with lake.limited(limits, end):
            facts = tell(lake, week, options.top)
            text = write(Mail() if mail else Markdown(), facts, options.top)
            write_text(text, options.output)
    return 0


def main(options: argparse.Namespace) -> int:
    """Runs darshan digest and returns its exit status: 0, or 1 if no text was written."""
    return told(PROGRAM, lambda: _run(options))
