"""The section about the processes of a run: the process tree, I/O of each program, and
lifetimes."""

from __future__ import annotations

from ...measure.processes.endings import endings, still_running, unknown
from ...measure.processes.lanes import Lanes
from ...measure.processes.processes import Processes
from ...measure.processes.programs import is_spawned, without_folders
from ...measure.processes.tree import Group, Row, Sums, fold, rows
from ...show.model import Block, Column, Heading, Paragraph, PlotRow, Table
from ...show.text import ELLIPSIS, printable
from ...units import NONE, amount, count, plural, seconds
from ..context import Context
from ..plots import lanes as lanes_plot

_ROWS = 32  # of the table of the tree
_ENDINGS = 8
_NAME = 52  # characters of a command line, including the indent
_STEP = 2  # characters of an indent


def times(number: int, name: str) -> str:
    """Returns a name with a number: "cat" for 1, "cat x 200" (with a multiplication sign) for
    200."""
    return name if number == 1 else f"{name} \u00d7 {number:,}"


def _job(group: Group) -> str:
    ranks, number = group.program.job_ranks, group.own.number
    jobs, left = divmod(number, ranks)
    what = f"MPI job of {plural(ranks, 'rank')}"
    if left:
        what += f", {number:,} of them here"
    elif jobs > 1:
        what = f"{jobs:,} MPI jobs of {plural(ranks, 'rank')}"
    return f"{what}: {group.program.name}"


def _command(context: Context, tree: Processes, group: Group, width: int) -> str:
    """Returns the command line of a process, cut to `width` characters; its program's name if the
    command line is unknown."""
    full, program = tree.commands[group.places[0]].strip(), group.program
    if not full or is_spawned(full):
        return context.short(program.times(1), width)
    mark = " (worker)" if program.worker else " (launcher)" if program.launcher else ""
    width -= len(mark)
    name = printable(without_folders(full))
    if len(name) > width:
        name = f"{name[: width - 1]}{ELLIPSIS}"
        context.shown.full.setdefault(name, full)
    return name + mark


def title(context: Context, tree: Processes, row: Row, width: int = _NAME) -> str:
    """Returns the label of a row in the tree: a command line, a program with the number of its
    processes, or "N more (M programs)" for the rest. width: characters for a row at depth 0."""
    width = max(12, width - _STEP * row.depth)
    group = row.group
    if group is None:
        return f"{row.sums.number:,} more ({plural(row.programs, 'program')})"
    if group.program.job_ranks:
        return context.short(_job(group), width)
    if len(group.places) == 1 and group.own.number == 1:
        return _command(context, tree, group, width)
    return context.short(group.program.times(group.own.number), width)


def io(sums: Sums, shown: str) -> str:
    """Returns `shown`, the I/O of some processes as text. If all of them are ranks of MPI jobs,
    returns a dash, because their I/O is in other logs."""
    return NONE if sums.elsewhere == sums.number else shown


def _cells(context: Context, tree: Processes, row: Row) -> tuple[str, ...]:
    sums = row.sums
    return (
        title(context, tree, row),
        seconds(sums.start),
        seconds(sums.end),
        seconds(sums.lives),
        io(sums, seconds(sums.time)),
        io(sums, amount(sums.read)),
        io(sums, amount(sums.written)),
        *((count(sums.faults),) if context.maps else ()),
        f"{sums.failed:,}" if sums.failed else "",
    )


def tree_rows(tree: Processes, most: int) -> list[Row]:
    """Returns the rows of the process tree, each group of equal processes before its children, at
    most `most`."""
    return rows(fold(tree), most)


def _table(context: Context, tree: Processes, found: list[Row]) -> Table:
    rights = ["From", "To", "Lived", "File I/O", "Read", "Written"]
    note = (
        "A program is below the program that started it; \u00d7: equal programs with equal "
        "parents in one row. From, To: seconds since the run's start, of the first and the last. "
        "Lived, File I/O: sums. I/O: POSIX and STDIO, only of these processes."
    )
    if context.maps:
        rights.append("Page faults")
        note += " Page faults: of mapped files and of all other memory."
    if any(row.sums.failed for row in found):
        rights.append("Failed")
        note += " Failed: ended by a signal or with a status other than 0."
    if tree.unseen.any():
        note += (
            " For programs that were not instrumented: bytes of all their calls, pipes included."
        )
    if (~tree.own).any():
        note += " A dash: an MPI job has its own log."
    cells = tuple(_cells(context, tree, row)[: len(rights) + 1] for row in found)
    columns = (Column("Program", code=True), *(Column(t, right=True) for t in rights))
    return Table(columns, cells, note, tuple(row.depth for row in found))


def summary(context: Context, tree: Processes, shown: Lanes) -> str:
    """Returns sentences on the numbers of processes, programs and hosts, and on missing data about
    them. shown: the lifetimes of the programs."""
    hosts = len(set(tree.hosts))
    programs = len({program.name for program in tree.programs})
    parts = [f"{plural(tree.number, 'process')} of {plural(programs, 'program')}"]
    if hosts > 1:
        parts.append(f"on {hosts:,} hosts")
    text = f"{' '.join(parts)}, at most {shown.most:,} at once."
    keys = dict(context.info.metadata)
    if "ranks_merged" in keys:
        text += f" They were {plural(len(tree), 'rank')} of a job"
        text += f", of {context.nprocs:,}." if context.nprocs > len(tree) else "."
    elif (tree.own & (tree.counts > 1)).any():
        text += (
            f" The log has {len(tree):,} ranks: late processes of a program share one rank, and "
            "their lifetimes are estimated."
        )
    moved, error = keys.get("clocks_moved", ""), keys.get("clock_error", "")
    if moved:
        text += f" Clocks of hosts were wrong; their times were corrected: {printable(moved)}."
    if error:
        text += f" How far times of two hosts may be off: {printable(error)}."
    running, lost = still_running(tree), unknown(tree)
    if running:
        text += f" {running:,} had not ended when the log was written."
    text += _through_pipes(*context.streams)
    if lost:
        text += f" How {lost:,} of them ended is unknown."
    return text


def _through_pipes(read: int, written: int, time: float) -> str:
    """Returns a sentence on the bytes and seconds at standard streams that are not files; "" if no
    bytes were moved."""
    moved = [f"read {amount(read)} from them"] if read else []
    moved += [f"wrote {amount(written)} to them"] if written else []
    if not moved:
        return ""
    return (
        " Through the C library the programs also used standard streams that are not files "
        f"(pipes, terminals): they {' and '.join(moved)}, in {seconds(time)}. No other number "
        "includes this, and calls on pipes that bypass the C library's streams are not recorded."
    )


def ended_badly(tree: Processes) -> str:
    """Returns a sentence on which processes failed; "" if none."""
    found = endings(tree)
    parts = [f"{times(e.number, e.program.times(1))} ({e.words})" for e in found[:_ENDINGS]]
    left = sum(e.number for e in found[_ENDINGS:])
    if left:
        parts.append(f"{left:,} more")
    return f"Ended badly: {', '.join(parts)}." if parts else ""


def _ends(tree: Processes) -> list[Block]:
    found = endings(tree)
    if not found:
        return []
    columns = (Column("Program", code=True), Column("Processes", right=True), Column("Ended"))
    cells = tuple((e.program.times(1), f"{e.number:,}", e.words) for e in found[:_ENDINGS])
    left = sum(e.number for e in found[_ENDINGS:])
    note = f"{plural(left, 'more process')} ended badly." if left else ""
    return [Paragraph("What ended badly:"), Table(columns, cells, note)]


def blocks(context: Context) -> list[Block]:
    """Returns the section; [] for a single process, and for a job of ranks."""
    tree, shown = context.tree, context.lanes
    if tree is None or shown is None:
        return []
    found = tree_rows(tree, _ROWS)
    return [
        Heading("Processes"),
        Paragraph(summary(context, tree, shown)),
        _table(context, tree, found),
        PlotRow((lanes_plot.plot(shown),)),
        *_ends(tree),
    ]
