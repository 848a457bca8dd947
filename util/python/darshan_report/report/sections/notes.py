"""Warnings on page 1, and the last section: notes about numbers that are incomplete or wrong."""

from __future__ import annotations

import numpy as np

from ...log import Log
from ...measure.dropped import dropped
from ...measure.files.overflow import counted, files_in_it, noun_of, shared_record
from ...records import UNKNOWN
from ...show.model import Block, Heading, Paragraph
from ...show.text import printable
from ...structs import Kind
from ...tables import module_by_id, module_by_name
from ...units import WRONG, plural
from ..context import LEFT_OUT, WITHOUT_RECORDS, Context, LayerFigures

_SHOWN = 5e-7  # seconds; shorter times are shown as zero
_CORRUPT_FORMAT = "3.20"  # log format whose writer damaged counters


def _backwards(figures: LayerFigures) -> bool:
    """Returns whether the layer has negative times, which occur only if the clock was set back."""
    times = (figures.read_time, figures.write_time, figures.meta_time)
    of_files = figures.files.time
    return any(t is not None and t < -_SHOWN for t in times) or bool(
        np.any((of_files < -_SHOWN) & (of_files != UNKNOWN))
    )


def _partial(module: str, log: Log) -> str:
    """Returns a sentence on why a module does not have a record of each file, and which numbers are
    affected."""
    if shared_record(log, module):
        number = files_in_it(log, module)
        noun = noun_of(module)
        lacking = f"statements about single {noun}s are not"
        if not counted(log, module):
            lacking = f"numbers of {noun}s, and statements about single {noun}s, are not"
        rest = f"the other {noun}s" if number is None else plural(number, noun)
        share = "shares a record named by its" if number == 1 else "share records named by their"
        return (
            f"Module {module} could not keep a record of each {noun}: "
            f"{rest} {share} folder and ending, or <overflow>. Totals are "
            f"exact; {lacking}."
        )
    return (
        f"The records of module {module} are incomplete: its memory was too small for all "
        "files, so its bytes, operations and times are lower bounds."
    )


def _dropped(log: Log) -> list[str]:
    """Returns sentences on calls that the runtime did not record; [] if it recorded all."""
    lost, found = dropped(log), []
    if lost.calls:
        where = "; ".join(f"{number:,} {words}" for number, words in lost.calls)
        found.append(
            f"{plural(lost.number, 'call')} that the runtime saw {_are(lost.number)} not counted "
            f"({printable(where)}): counts, bytes and times are lower bounds."
        )
    if lost.untracked:
        found.append(
            f"{lost.untracked:,} open files, streams, library objects or requests did not fit "
            "into a table of the runtime. Calls on them are not counted, so counts, bytes and "
            "times are lower bounds."
        )
    if lost.deepbind:
        found.append(
            f"{_libraries(lost.deepbind)} opened with RTLD_DEEPBIND, so calls that "
            f"{'it' if lost.deepbind == 1 else 'they'} made went straight to the C library and "
            "are not counted: counts, bytes and times are lower bounds."
        )
    return found


def _libraries(number: int) -> str:
    return "1 library was" if number == 1 else f"{number:,} libraries were"


def _are(number: int) -> str:
    return "was" if number == 1 else "were"


def warnings(context: Context) -> list[str]:
    """Returns the warnings for page 1, as sentences: what is missing, damaged or wrong in the log;
    [] if nothing."""
    info = context.info
    found = []
    if info.live:
        found.append(
            "This is the journal of a program that is still running or was killed: the numbers "
            "are those of its last call, the run time is unknown, and shares refer to the time "
            "until the last recorded operation. A journal has the calls of one process only."
        )
    known = dict(info.metadata)
    for region in info.regions:
        if region.partial:
            found.append(_partial(region.name or f"number {region.id}", context.log))
    lost = known.get(WITHOUT_RECORDS, "")
    if lost:
        found.append(
            f"The records of {printable(lost)} of its processes were lost, completely or in "
            "part, because "
            "the runtime could not save them. No number of this report includes lost records."
        )
    left_out = known.get(LEFT_OUT, "")
    if context.processes and left_out:
        found.append(
            "Records of some programs of this run could not be read; no number includes them: "
            f"{printable(left_out)}."
        )
    found += _dropped(context.log)
    unseen = context.extras.sum("POSIX_EXT_URING_UNSEEN") if context.extras else None
    if unseen and unseen > 0:
        found.append(f"{plural(int(unseen), 'request')} of io_uring were not recorded.")
    _ = (
        context.figures,
        context.heats,
        context.attribution,
        context.processes,
        context.talk,
    )  # reading these adds damaged modules to context.damaged
    found += [
        f"The records of module {module} are damaged and were skipped: {printable(reason)}."
        for module, reason in context.damaged
    ]
    if any(map(_backwards, context.figures)):
        found.append(
            "Some times of this log are negative, because a clock was set back while the program "
            "ran. They "
            f"are marked {WRONG}; neither they nor sums that include them are meaningful."
        )
    if info.annex_problem:
        found.append(
            f"The annex of this log is damaged and was skipped: {printable(info.annex_problem)}."
        )
    if info.version == _CORRUPT_FORMAT:
        found.append(
            "Logs of format 3.20 come from a release that damaged common transfer sizes and "
            "possibly other counters."
        )
    return found


def _unknown(figures: LayerFigures) -> str | None:
    """Returns a sentence that names the counters of a layer that the log lacks; None if there are
    none worth a note."""
    module = module_by_name(figures.layer.module)
    if module is None:
        return None
    # Other counters are unknown in all logs of some builds (such as mmap), so they are not worth a
    # note.
    late = {c.name for c in module.counters + module.fcounters if c.absent == -1}
    names = ", ".join(sorted(figures.unknown & late))
    if not names:
        return None
    return (
        f"{figures.layer.title}: this log lacks {names}; the report shows them as "
        "unknown, not as zero."
    )


TRACED = ("DXT_POSIX", "DXT_MPIIO")
_DRAWN = {
    "APMPI",
    "HEATMAP",
    "LAYERS",
    "H5_META",
    "SHARED",
    "PROCESS",
    "GROUP",
    "SITES",
    "TRAINING",
    "TRAINING_TIME",
    *TRACED,
}


# Modules with counters that findings, and the table of where the time went, need.
_IN_PART = frozenset(("POSIX_EXT", "STDIO_EXT", "USAGE", "MPIWAIT"))


def _left_out(context: Context) -> list[str]:
    """Returns the names of the modules with data that the report does not show."""
    shown = {f.layer.module for f in context.figures} | _DRAWN
    quiet = {m for m, _ in context.damaged}
    modules = []
    for region in context.info.regions:
        known = module_by_id(region.id)
        if region.length and (region.name or "") not in shown | quiet:
            unread = known is None or known.kind is Kind.NONE
            name = region.name or f"number {region.id}"
            modules.append(f"{name}{' (not readable by this release)' if unread else ''}")
    return modules


def blocks(context: Context) -> list[Block]:
    """Returns the notes about incomplete or wrong numbers, which are the last section of the
    report; [] if there are none."""
    lines = [line for line in map(_unknown, context.figures) if line]
    inlined = context.extras.sum("POSIX_EXT_INLINED") if context.extras else None
    if inlined:
        lines.append(
            "Code that the compiler inlined into the program moved bytes of the buffers of "
            f"streams (seen {plural(int(inlined), 'time')}): counts of STDIO operations are "
            "lower bounds."
        )
    modules = _left_out(context)
    part = [module for module in modules if module in _IN_PART]
    if part:
        lines.append(
            f"Of {', '.join(part)}, this report shows only a part; darshan-parser prints all of "
            "their counters."
        )
    if rest := [module for module in modules if module not in _IN_PART]:
        lines.append(
            f"The log also has {', '.join(rest)}, which this report does not show; darshan-parser "
            "prints everything but traces."
        )
    if not lines:
        return []
    return [Heading("Notes"), *(Paragraph(line) for line in lines)]
