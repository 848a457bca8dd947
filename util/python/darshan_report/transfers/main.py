"""The command darshan-dxt-analyzer: its options, table and diagram."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from ..called import called_as
from ..exit_status import exit_status
from ..library import LogError
from ..show.output import asked, replace, same_file
from ..show.text import printable
from ..units import amount, seconds
from .figure import draw
from .patterns import SIZES, Pattern, pattern
from .source import Trace, read

PROGRAM = called_as("darshan-dxt-analyzer")


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Analyzes traces (DXT): prints the transfers of each file by rank.",
    )
    parser.add_argument(
        "log", nargs="?", metavar="LOG", help="a log, or the output of darshan-dxt-parser"
    )
    parser.add_argument("-i", "--input", metavar="LOG", help="another way to name LOG")
    parser.add_argument("-o", "--output", metavar="PDF", help="draw transfers over time by rank")
    parser.add_argument("--show", action="store_true", help="draw transfers in a window")
    parser.add_argument("--read", action="store_true", help="draw reads instead of writes")
    parser.add_argument("--ranks", action="store_true", help="also print a row for each rank")
    parser.add_argument("--filemode", action="store_true", help="only the file of -f")
    parser.add_argument(
        "-f", "--filename", metavar="NAME", help="only files whose names end with NAME"
    )
    options = parser.parse_args(arguments)
    if (options.log is None) == (options.input is None):
        parser.error("name exactly one log, as LOG or with --input")
    if options.filemode and not options.filename:
        parser.error("--filemode needs -f NAME")
    options.log = options.input if options.log is None else options.log
    return options


def _row(label: str, kind: str, found: Pattern) -> str:
    classes = " ".join(f"{share:4.0%}" for share in found.classes)
    return (
        f"  {label:8s} {kind:5s} {found.ranks:6d} {found.count:9d} {amount(found.bytes):>9s} "
        f"{amount(found.smallest):>9s} {amount(found.median):>9s} {amount(found.largest):>9s}  "
        f"{classes} {found.consecutive:6.0%} {found.interleaved:6.0%} {seconds(found.seconds):>8s}"
    )


def _heading() -> str:
    bounds = [*(f"<{x >> 20}M" if x >> 20 else f"<{x >> 10}K" for x in SIZES), "more"]
    return (
        f"  {'':8s} {'':5s} {'ranks':>6s} {'transfers':>9s} {'bytes':>9s} {'smallest':>9s} "
        f"{'median':>9s} {'largest':>9s}  {' '.join(f'{x:>4s}' for x in bounds)} "
        f"{'consec':>6s} {'mixed':>6s} {'time':>8s}"
    )


def _rows(traces: Sequence[Trace], by_rank: bool) -> Iterator[str]:
    groups = [("", traces)]
    if by_rank:
        ranks = sorted({t.rank for t in traces})
        groups += [(f"rank {rank}", [t for t in traces if t.rank == rank]) for rank in ranks]
    for label, group in groups:
        for kind, reads in (("write", False), ("read", True)):
            if found := pattern(group, reads):
                yield _row(label, kind, found)


def _print(traces: Sequence[Trace], by_rank: bool) -> None:
    files: dict[tuple[str, int], list[Trace]] = {}
    for trace in traces:
        files.setdefault((trace.module, trace.id), []).append(trace)
    layer = ""
    for (module, _), group in files.items():
        if module != layer:
            print(f"{module}\n{_heading()}")
            layer = module
        print(printable(group[0].name))
        for row in _rows(group, by_rank):
            print(row)


def _draw(options: argparse.Namespace, traces: Sequence[Trace]) -> None:
    title = f"{'reads' if options.read else 'writes'} of {printable(options.log)}"
    modules = {trace.module for trace in traces}
    # POSIX contains the transfers of MPI-IO a second time, so only one layer is drawn.
    one = "DXT_POSIX" if "DXT_POSIX" in modules else "DXT_MPIIO"
    chosen = [trace for trace in traces if trace.module == one]
    if options.output:
        replace(options.output, lambda out: draw(chosen, options.read, title, out))
    if options.show:
        draw(chosen, options.read, title, None)


def _say(text: str) -> None:
    print(f"{PROGRAM}: {printable(text)}", file=sys.stderr)


def _run(options: argparse.Namespace, at: list[str]) -> int:
    """Prints and draws the transfers; returns the exit status. at: its element 0 is set to what the
    next system call is for, which the caller puts into an error message. Raises LogError if there
    are no traces."""
    traces = read(options.log)
    if options.filename:
        traces = [trace for trace in traces if trace.name.endswith(options.filename)]
    if not traces:
        which = f" of {options.filename}" if options.filename else ""
        raise LogError(f"contains no traces{which}; record them with DXT_ENABLE_IO_TRACE=1")
    at[0] = "cannot write -"
    _print(traces, options.ranks)
    sys.stdout.flush()
    at[0] = options.output
    _draw(options, traces)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs darshan-dxt-analyzer and returns its exit status: 0, or 1 if the log has no traces, or
    something cannot be read or written. arguments: by default those of the process."""
    options = asked(lambda: _arguments(arguments), _say)
    if sys.stdout is None:  # closed by the parent process
        _say("cannot write: standard output is closed")
        return 1
    if options.output and same_file(options.output, options.log):
        _say(
            f"cannot write the diagram to {options.output}: it is the log; name another file "
            "with -o"
        )
        return 1
    at = [options.log]
    return exit_status(lambda: _run(options, at), options.log, _say, lambda: at[0])
