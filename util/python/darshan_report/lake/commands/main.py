"""Starts the commands of lakes, after checking that the Python packages that they need are
installed."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Callable, Sequence

from ...library import LibraryMissing
from ...show import signal_exit
from ...show.output import asked
from . import arguments
from .messages import say
from .packages import advice, missing

# The modules of other packages that each command needs in addition to the modules of the report.
_COMMANDS: dict[str, tuple[Callable[[Sequence[str]], object], tuple[str, ...]]] = {
    "collect": (arguments.collect, ("pyarrow",)),
    "ask": (arguments.ask, ("pyarrow", "duckdb")),
    "lake": (arguments.lake, ("pyarrow",)),
    "serve": (arguments.serve, ("pyarrow", "duckdb")),
    "digest": (arguments.digest, ("pyarrow", "duckdb")),
}


def _has(program: str, modules: Sequence[str]) -> bool:
    """Returns whether this Python has the modules. If not, prints how to install them."""
    try:
        absent = missing(modules)
    except ImportError as error:
        say(program, f"cannot import a Python package with {sys.executable}: {error}")
        return False
    if not absent:
        return True
    how, lines = advice(absent)
    say(program, f"{sys.executable} lacks {' and '.join(absent)}; {how} (guide centre.md):")
    for line in lines:
        print(f"  {line}", file=sys.stderr, flush=True)
    return False


def main(command: str, given: Sequence[str] | None = None) -> int:
    """Runs a command of lakes and returns its exit status. command: "collect", "ask", "lake",
    "digest" or "serve". given: its arguments, by default those of the process. If a Python package
    is missing, prints how to install it."""
    parse, packages = _COMMANDS[command]
    program = f"darshan {command}"
    words = sys.argv[1:] if given is None else given
    options = asked(lambda: parse(words), lambda text: say(program, text))
    if str(getattr(options, "workers", "")).startswith(arguments.DASK):
        packages = (*packages, "distributed")
    failed: int = getattr(options, "failed", 1)
    if not _has(program, packages):
        return failed
    try:
        return _run(command, options)
    except LibraryMissing as error:
        say(program, str(error))
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)  # the reader of the output has closed the pipe
    return failed


def _run(command: str, options: object) -> int:
    try:
        module = importlib.import_module(f".{command}", __package__)
        status: int = module.main(options)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
    return status
