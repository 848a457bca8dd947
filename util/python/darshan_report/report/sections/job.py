"""The section about the job, and the summary of the run in a few sentences."""

from __future__ import annotations

import os
import time

from ...measure import io_share
from ...measure.processes.endings import KILLED, endings, not_found, not_found_by
from ...show.model import Block, Facts, Heading, Paragraph
from ...show.text import printable, shorten
from ...units import amount, duration, plural, rate, seconds
from ..context import Context, LayerFigures

_COMMAND = 240  # characters shown of a command line


def _date(stamp: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(stamp))
    except (OverflowError, ValueError, OSError):
        return f"{stamp:.0f} s since 1970"


def busiest(context: Context) -> LayerFigures | None:
    """Returns the layer whose calls took the most time; None if no layer has records."""
    return max(context.figures, key=lambda f: f.time, default=None)


def run_sentence(context: Context, width: int = 60) -> str:
    """Returns one or more sentences with the run time and the number of processes; if the run
    failed, with the failure and the names that it did not find. width: most characters of the
    program's name."""
    name = shorten(context.program, width) or "The program"
    processes = plural(context.number, "process")
    failed = context.failure
    if context.info.live:
        state = "had not finished when this log was taken"
    elif failed:
        state = f"{failed.words} after {duration(context.run_time)}"
    else:
        state = f"ran for {duration(context.run_time)}"
    told = f"{name} {state}, {processes}."
    if not context.tree:
        told = f"{name} {state} on {plural(context.info.nprocs, 'process')}."
    if failed:
        told += f" {looked_for(context)}This report covers the run until then."
    return f"{told} {bad_ends(context)}".strip()


_NAME = 80  # characters of a name that was not found


def looked_for(context: Context) -> str:
    """Returns sentences about look-ups of files that do not exist, with a space at the end; "" if
    the log has none."""
    misses = context.extras.sum("POSIX_EXT_MISSES") if context.extras else None
    names = [shorten(name, _NAME) for name in not_found(context.log)]
    who = printable(not_found_by(context.log)) or "it"
    last = f"The last names that {who} looked up and did not find: {', '.join(names)}. "
    last = last if names else ""
    if not misses or misses < 0:
        return last
    return f"{last}{plural(int(misses), 'look-up')} of files found nothing. "


def bad_ends(context: Context) -> str:
    """Returns sentences on how many processes ended by a signal or with a nonzero status, and which
    were not instrumented; "" if none."""
    ends = endings(context.tree) if context.tree else []
    signals = {end.words for end in ends if end.how == KILLED}
    killed = sum(end.number for end in ends if end.how == KILLED)
    failed = sum(end.number for end in ends if end.how != KILLED)
    parts = []
    if killed:
        how = signals.pop() if len(signals) == 1 else "killed by signals"
        parts.append(f"{killed:,} {'was' if killed == 1 else 'were'} {how}")
    if failed:
        parts.append(f"{failed:,} ended with a status other than 0")
    words = [f"Of its processes, {' and '.join(parts)}."] if parts else []
    unseen = context.processes.told_unseen() if context.processes else ""
    return " ".join([*words, f"Not instrumented: {unseen}."] if unseen else words)


def _time_sentence(context: Context, figures: LayerFigures) -> str:
    mean = figures.time / context.mean_over
    parts = {
        "reading": figures.read_time,
        "writing": figures.write_time,
        "metadata": figures.meta_time,
    }
    split = ", ".join(f"{seconds(t / context.mean_over)} {k}" for k, t in parts.items() if t)
    of_whom = "in all processes together" if context.tree else "per process on average"
    of_whom = f" {of_whom}" if context.number > 1 else ""
    return f"The layer with the most time is {figures.layer.title}: {seconds(mean)}{of_whom}" + (
        f" ({split})." if split else "."
    )


def own_sentence(context: Context) -> str:
    """Returns a sentence with the time of each layer without the layers that it called; "" if
    unknown."""
    order = sorted((o for o in context.exclusive if o.time > 0), key=lambda o: -o.time)
    parts = ", ".join(f"{o.title} {seconds(o.time / context.mean_over)}" for o in order)
    whose = "all processes" if context.tree else "per process"
    return f"Each layer without what it called, {whose}: {parts}." if order else ""


def _traffic_sentence(figures: list[LayerFigures]) -> str:
    moving = [f for f in figures if f.moves_bytes and (f.read or f.written)]
    if not moving:
        return "No bytes were read or written in the recorded layers."
    parts = []
    for f in moving:
        rates = f" at about {rate(f.performance.rate)}" if f.performance else ""
        parts.append(f"{f.layer.title} read {amount(f.read)} and wrote {amount(f.written)}{rates}")
    return "; ".join(parts) + "."


def answer(context: Context) -> list[Block]:
    """Returns the summary at the top of page 1: run time, I/O share, the layer with the most time,
    bytes and rates."""
    found: list[Block] = [Paragraph(run_sentence(context), strong=True)]
    if context.figures:
        busy = busiest(context)
        found.append(Paragraph(io_share.sentence(context.shares), strong=True))
        if busy is not None and busy.time > 0:
            found.append(Paragraph(_time_sentence(context, busy), strong=True))
            if context.exclusive:
                found.append(Paragraph(own_sentence(context), strong=True))
        found.append(Paragraph(_traffic_sentence(context.figures), strong=True))
    else:
        found.append(Paragraph("The log contains no record of I/O.", strong=True))
    return found


def blocks(context: Context) -> list[Block]:
    """Returns the section about the job."""
    info = context.info
    library = dict(info.metadata).get("lib_ver", "")
    command = printable(info.exe.strip())
    if len(command) > _COMMAND:
        command = shorten(command, _COMMAND)
    ended = "not finished" if info.live else _date(info.end)
    return [
        Heading("Job"),
        Facts(
            (
                ("Command", command or "(not in the log)"),
                ("Log", shorten(os.path.basename(context.log.path), _COMMAND)),
            ),
            (
                ("Start", _date(info.start)),
                ("End", ended),
                ("Run time", "unknown" if info.live else duration(context.run_time)),
                ("Processes", f"{context.number:,}"),
                ("Job id", str(info.jobid)),
                ("User id", str(info.uid)),
                (
                    "Format",
                    f"{printable(info.version)}"
                    + (f", written by runtime {shorten(library, 30)}" if library else "")
                    + f", {info.compression}",
                ),
            ),
        ),
    ]
