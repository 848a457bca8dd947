"""The exit status of a command that reads one log, and the message if it fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from .library import LibraryMissing, LogError
from .show import signal_exit


def exit_status(
    run: Callable[[], int],
    log: str,
    say: Callable[[str], None],
    where: Callable[[], str],
) -> int:
    """Runs a command and returns its exit status. If it raises LogError, LibraryMissing, OSError or
    ImportError, passes one line to `say` and returns 1. Ends the process by SIGPIPE if the reader
    has closed the output. log: path of the log. where: returns the path to blame for a failed
    system call if the error does not name a file."""
    try:
        return run()
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)  # the reader has closed the output
    except LogError as error:
        text = str(error)
        say(text if text.startswith(f"{log}: ") else f"{log}: {text}")
    except OSError as error:
        say(f"{error.filename or where()}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python reports an error at exit
    except (LibraryMissing, ImportError) as error:
        say(str(error))
    return 1
