"""darshan digest: a week of a lake as a text to send."""

from __future__ import annotations

import argparse
import datetime
import os

from ...summary.output import write_text
from ..ask.engine import Asked
from ..commit.place import LakeError
from ..look.digest import write
from ..look.forms import Mail, Markdown
from ..look.week import named, tell
from .arguments import DIGEST as PROGRAM
from .say import say, why


def main(options: argparse.Namespace) -> int:
    """Runs the command; its exit status."""
    try:
        week = named(options.week, datetime.datetime.now(datetime.timezone.utc).date())
        mail = options.text or os.path.splitext(options.output)[1].lower() == ".txt"
        with Asked(options.lake, user=options.user) as lake:
            told = tell(lake, week, options.top)
        write_text(write(Mail() if mail else Markdown(), told, options.top), options.output)
        return 0
    except BrokenPipeError:
        raise
    except OSError as error:
        say(PROGRAM, why(error))
    except LakeError as error:
        say(PROGRAM, str(error).split("\n")[0])
    return 1
