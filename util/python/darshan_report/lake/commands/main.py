"""Dispatches the commands of lakes and checks for the packages that they need."""

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

# The packages that each command needs besides those of the report.
_COMMANDS: dict[str, tuple[Callable[[Sequence[str]], object], tuple[str, ...]]] = {
    "collect": (arguments.collect, ("pyarrow",)),
    "ask": (arguments.ask, ("pyarrow", "duckdb")),
    "lake": (arguments.lake, ("pyarrow",)),
    "serve": (arguments.serve, ("pyarrow", "duckdb")),
    "digest": (arguments.digest, ("pyarrow", "duckdb")),
}


def _lacking(packages: Sequence[str]) -> list[str]:
    lacking = []
    for package in packages:
        try:
            importlib.import_module(package)
        except ImportError:
            lacking.append(package)
    return lacking


def main(command: str, given: Sequence[str] | None = None) -> int:
    """Runs a command of lakes; returns its exit status."""
    parse, packages = _COMMANDS[command]
    program = f"darshan {command}"
    words = sys.argv[1:] if given is None else given
    options = asked(lambda: parse(words), lambda text: say(program, text))
    if str(getattr(options, "workers", "")).startswith(arguments.DASK):
        packages = (*packages, "distributed")
    lacking = _lacking(packages)
    if lacking:
        say(
            program,
            f"needs {' and '.join(lacking)}, which {sys.executable} does not have: "
            f"make a virtual environment that has them, and name it by DARSHAN_PYTHON: "
            f"python3 -m venv ~/darshan-centre && ~/darshan-centre/bin/pip install "
            f"{' '.join(('numpy', 'matplotlib', *lacking))} && "
            "export DARSHAN_PYTHON=~/darshan-centre/bin/python (guide centre.md)",
        )
        return 1
    try:
        return _run(command, options)
    except LibraryMissing as error:
        say(program, str(error))
    except BrokenPipeError:
        signal_exit.end(signal.SIGPIPE)  # the reader of the output has closed the pipe
    return 1


def _run(command: str, options: object) -> int:
    try:
        module = importlib.import_module(f".{command}", __package__)
        status: int = module.main(options)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
    return status
