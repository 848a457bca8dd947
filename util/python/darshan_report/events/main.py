"""The command darshan trace: its options, and the output file."""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from collections.abc import Sequence
from typing import IO

from ..exit_status import exit_status
from ..log import Log, open_log
from ..show.output import asked, replace, same_file, standard_output
from ..show.text import visible
from .chrome import lines

PROGRAM = "darshan trace"
_AT_ONCE = 4096  # lines


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Writes the traced transfers (DXT) of a log as Trace Event JSON, which "
        "Perfetto (ui.perfetto.dev) and chrome://tracing show.",
    )
    parser.add_argument("log", metavar="LOG", help="a log with traces (DXT_ENABLE_IO_TRACE=1)")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="the file to write, compressed if its name ends in "
        ".gz (default: LOG's name with .json.gz); - is standard output"
    )  # fmt: skip
    return parser.parse_args(arguments)


def _default(log: str) -> str:
    name = os.path.basename(os.path.normpath(log))
    stem = name[: -len(".darshan")] if name.endswith(".darshan") else name
    return f"{stem or 'darshan'}.json.gz"


def _write(log: Log, out: IO[bytes]) -> None:
    some: list[str] = []
    for line in lines(log):
        some.append(line)
        if len(some) >= _AT_ONCE:
            out.write("".join(some).encode())
            some.clear()
    out.write("".join(some).encode())


def _fill(log: Log, target: str, out: IO[bytes]) -> None:
    if not target.endswith(".gz"):
        _write(log, out)
        return
    # The gzip header has no name and no time, so the same log gives the same file.
    with gzip.GzipFile("", "wb", 5, out, mtime=0) as packed:
        _write(log, packed)  # type: ignore[arg-type]


def _say(text: str) -> None:
    print(f"{PROGRAM}: {visible(text)}", file=sys.stderr)


def _run(options: argparse.Namespace) -> int:
    target = options.output or _default(options.log)
    if target != "-" and same_file(target, options.log):
        _say(f"cannot write the trace to {target}: it is the log; name another file with -o")
        return 1
    with open_log(options.log) as log:
        if target == "-":
            _fill(log, target, standard_output())
        else:
            replace(target, lambda out: _fill(log, target, out))
            sys.stdout.buffer.write(os.fsencode(target) + b"\n")
    sys.stdout.flush()
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan trace and returns its exit status: 0, or 1 if the log cannot be read or the file
    not written. arguments: by default those of the process."""
    options = asked(lambda: _arguments(arguments), _say)
    return exit_status(
        lambda: _run(options), options.log, _say, lambda: options.output or options.log
    )
