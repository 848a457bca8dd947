"""The report as text for a terminal of 80 columns."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from ..call_sites import told
from ..diagnose.finding import FACT, GOOD, NOTICE, PROBLEM, Finding, shown_first
from ..diagnose.rules.run import costly, time_between
from ..measure import io_share
from ..measure.files.mapped import SHARED
from ..show.model import Table
from ..show.sentences import first_fitting, fitting
from ..show.text import shorten, visible
from ..units import UNKNOWN, WRONG, amount, seconds, share
from .context import Context
from .sections import (
    checkpoints,
    communication,
    ledger,
    loaded_state,
    notes,
    passes,
    processes,
    training,
)
from .sections.files import faults
from .sections.findings import value
from .sections.job import own_sentence, run_sentence
from .sections.layers import in_pipes_sentence

_WIDTH = 80
_BRIEF = 3  # problems
_REMEDY = 3  # lines, with what was tried
_WHY = 4  # lines about a run without a problem
_TALK = 5  # MPI functions
_MAPPED = 3  # files
_PROGRAM, _TREE = 40, 12  # characters of a program's name, rows of the process tree
_PROCESS = f"{{:<{_PROGRAM}}}" + "{:>10}" * 4
_LAYER = "{:<18}{:>10}{:>11}{:>11}{:>10}{:>10}{:>10}"


def _wrapped(text: str, indent: str = "  ") -> Iterator[str]:
    """Yields lines of at most 80 columns, indented; a word that is longer is broken."""
    yield from textwrap.wrap(
        visible(text), _WIDTH, initial_indent=indent, subsequent_indent=indent,
        break_on_hyphens=False,
    )  # fmt: skip


def _head(context: Context) -> Iterator[str]:
    yield from _wrapped(run_sentence(context, 40), "")


def _narrow(cell: str) -> str:
    """Returns a table cell in which the mark of a negative time is shortened."""
    return cell.replace(f" {WRONG}", WRONG.strip("()"))


_OF_WORK = "of the work"  # words of Stake.brief
_THROUGH = re.compile(r" \(through [^()]*\)")
_SPENT = "{:<56}{:>10}{:>8}"


def _ledger(context: Context) -> Iterator[str]:
    told = ledger.rows(context)
    if not told or context.ledger is None:
        return
    yield ""
    yield _SPENT.format("where the time went", "time", "share")
    for title, time in told:
        yield _SPENT.format(title, seconds(time), share(time, context.ledger.whole))
    if ranks := ledger.ranks_waited(context):
        yield from textwrap.wrap(ranks, _WIDTH)


_EPOCH = "{:<12}" + "{:>11}" * 6
_MADE = "{:<9}" + "{:>10}" * 7
_DATA = "{:<18}" + "{:>10}" * 6
_PASSES = "{:<12}" + "{:>11}" * 3
_FACT = 2  # lines of a fact, of `darshan stat`
_EPOCHS = 8  # rows of a loader


def _training(context: Context) -> Iterator[str]:
    known = training.told(context)
    for verdict, sentence in known:
        yield ""
        yield from _wrapped(sentence, "")
        yield from _wrapped(training.settings(verdict.loader), "")
        said = (training.rates(verdict.loader), training.sources(verdict.loader))
        yield from _wrapped(" ".join(filter(None, said)), "")
        yield _EPOCH.format("epoch", "time", "wait", "share", "first", "longest", "batches")
        for row in training.rows(verdict.loader, _EPOCHS):
            yield _EPOCH.format(*row[:7])
        if made := training.makers(verdict.loader):
            yield ""
            yield _MADE.format(*training.MADE)
            for maker, name in made:
                yield _MADE.format(*training.maker_cells(maker, shorten(name, 9)))
    if known:
        yield from _wrapped(training.imports(context, known[0][0].loader), "")
    if known and (data := training.data_rows(context)):
        yield ""
        for row in (training.DATA, *data):
            yield _DATA.format(*row)


def _passes(context: Context) -> Iterator[str]:
    if (one := context.passes) is None:
        return
    yield ""
    yield from _wrapped(passes.sentence(context, one), "")
    shown = passes.rows(one, _EPOCHS)
    for row in (passes.COLUMNS, *shown) if shown else ():
        yield _PASSES.format(*row)


def _code_lines(context: Context) -> Iterator[str]:
    if context.code_lines is not None:
        yield ""
        yield from told.text(context.code_lines)


_SAVED = "{:<22}{:>6}{:>10}{:>10}{:>8}{:>10}  {}"
_SAVES = 5  # rows


def _checkpoints(context: Context) -> Iterator[str]:
    rows = checkpoints.shown(context)
    if not rows:
        return
    yield ""
    yield _SAVED.format("checkpoint", "saves", "bytes", "time each", "share", "every", "").rstrip()
    for row in rows[:_SAVES]:
        *numbers, fate = checkpoints.cells(context, row)
        name = visible(checkpoints.last_part(row.name))
        yield _SAVED.format(shorten(name, 21), *numbers, "").rstrip()
        saved_by = checkpoints.at_line(context, row.title, row.sites)
        yield from _wrapped(f"{saved_by}; {fate}")
    for text in checkpoints.sentences(context):
        yield from _wrapped(text, "")


_LOADED = "{:<22}{:>6}{:>11}{:>11}{:>11}{:>10}"


def _loaded(context: Context) -> Iterator[str]:
    rows = loaded_state.shown(context)
    if not rows:
        return
    yield ""
    yield _LOADED.format("loaded state", "by", "read", "mapped", "touched", "time")
    for row in rows[:_SAVES]:
        name = visible(checkpoints.last_part(row.name))
        yield _LOADED.format(shorten(name, 21), *loaded_state.cells(row))
        yield from _wrapped(checkpoints.at_line(context, row.title, row.sites))


def _layers(context: Context) -> Iterator[str]:
    if not context.figures:
        return
    backwards = False
    yield ""
    yield _LAYER.format("layer", "files", "read", "written", "read", "write", "metadata")
    for figures in context.figures:
        times = (figures.read_time, figures.write_time, figures.meta_time)
        moved = (figures.read, figures.written)
        yield _LAYER.format(
            figures.layer.title[:18],
            f"{figures.files.number:,}",
            *(amount(m) if figures.moves_bytes else "-" for m in moved),
            *("-" if t is None else _narrow(seconds(t / context.mean_over)) for t in times),
        )
        if any(t is not None and t < 0 for t in times):
            backwards = True
    if backwards:
        yield "!: below zero because a clock was set back; the value has no meaning"
    kind = "sums" if context.tree else "mean"
    yield f"times: {kind} over processes; an upper layer's bytes pass through the lower ones"
    if in_pipes := in_pipes_sentence(context):
        yield from _wrapped(in_pipes, "")
    if context.exclusive:
        yield from _wrapped(own_sentence(context), "")


def _mapped(context: Context) -> Iterator[str]:
    """Yields a table of the mapped files with the most touched bytes; nothing if no file was
    mapped."""
    figures = next((f for f in context.figures if f.files.mapped.any()), None)
    if figures is None:
        return
    files = figures.files
    places = np.lexsort((files.ids, -files.mapped, -files.touched))[:_MAPPED]
    yield ""
    yield f"{'mapped file':<48}{'mapped':>11}{'touched':>11}"
    for place in places[files.mapped[places] > 0]:
        name = context.short(context.name(int(files.ids[place])), 46)
        touched = int(files.touched[place])
        shown = UNKNOWN if touched < 0 else amount(touched)
        yield f"{name:<48}{amount(int(files.mapped[place])):>11}{shown:>11}"
    if (files.touched > files.mapped)[places].any():
        yield from _wrapped(f"Touched: {SHARED}.", "")
    if context.usage is not None:
        yield from _wrapped(faults(context.usage), "")


def _processes(context: Context) -> Iterator[str]:
    tree = context.tree
    if tree is None:
        return
    yield ""
    yield _PROCESS.format("program", "lived", "file I/O", "read", "written")
    for row in processes.tree_rows(tree, _TREE):
        name = processes.title(context, tree, row, _PROGRAM)
        sums = row.sums
        cells = (seconds(sums.time), amount(sums.read), amount(sums.written))
        yield _PROCESS.format(
            "  " * row.depth + name,
            seconds(sums.lives),
            *(processes.io(sums, cell) for cell in cells),
        )
    if context.lanes:
        yield from _wrapped(processes.summary(context, tree, context.lanes), "")
    yield from _wrapped(processes.ended_badly(tree), "")


_CALL = "{:<26}{:>12}{:>12}{:>10}{:>10}{:>10}"


def _communication(context: Context) -> Iterator[str]:
    table = next((b for b in communication.blocks(context) if isinstance(b, Table)), None)
    if table is None:
        return
    yield ""
    yield _CALL.format("communication", "calls", "bytes", "time", "share", "longest")
    for row in table.rows[:_TALK]:
        yield _CALL.format(*row)
    for text in communication.summary(context):
        yield from _wrapped(text, "")


def _finding(context: Context, number: int, finding: Finding, verbose: bool) -> Iterator[str]:
    """Yields the lines about one finding: title, sentence, line of code, saving, remedy and trials.
    verbose: adds the evidence and the address of the description."""
    yield ""
    mark = f"{number}." if finding.kind == PROBLEM else f"{finding.kind}:"
    yield from _wrapped(f"{mark} {finding.title}", "")
    yield from _wrapped(finding.sentence)
    if finding.at:
        yield from _wrapped(f"at {finding.at}")
    elif found := context.blame(finding):
        yield from _wrapped(found.text)
    at = context.at_stake(finding)
    if at:
        yield from _wrapped(f"at stake: {at}")
    if finding.remedy.text:
        yield from _wrapped(f"remedy: {finding.remedy.text}")
    for line in finding.remedy.example.split("\n") if finding.remedy.example else ():
        yield from _wrapped(line, "    ")
    for text in context.tried(finding):
        yield from _wrapped(f"tried: {text}")
    if verbose:
        for row in finding.evidence:
            where = shorten(row.record, 40) if row.record else "(all)"
            yield from _wrapped(f"{row.module}  {row.counter} = {value(row)}  {where}", "    ")
        yield f"  see: {finding.reference}"


def _could_have_lines(context: Context) -> bool:
    """Returns whether the log has no call sites although its release of the runtime can record
    them."""
    is_ours = not dict(context.info.metadata).get("lib_ver", "3").startswith("3")
    return is_ours and context.code_lines is None


def _way_to_lines(context: Context) -> Iterator[str]:
    """Yields a hint on how to record call sites, if a problem has no line of code because the log
    has no call sites."""
    if _could_have_lines(context) and any(f.kind == PROBLEM for f in context.findings):
        yield ""
        yield from _wrapped(
            "This run was recorded without call sites. To see the line of code behind each "
            "finding, record it with `darshan run --sites` (in a job: DARSHAN_SITES=1).",
            "",
        )


def lines(context: Context, verbose: bool = False) -> Iterator[str]:
    """Yields the lines of the text report. verbose: adds evidence and good findings."""
    yield from _head(context)
    for text in notes.warnings(context):
        yield from _wrapped(f"Caution: {text}", "")
    if context.figures:
        yield from _wrapped(io_share.sentence(context.shares), "")
    yield from _ledger(context)
    yield from _training(context)
    yield from _passes(context)
    yield from _code_lines(context)
    yield from _checkpoints(context)
    yield from _loaded(context)
    yield from _layers(context)
    yield from _mapped(context)
    yield from _processes(context)
    yield from _communication(context)
    shown = [f for f in context.findings if verbose or f.kind != GOOD or f.name == "fine"]
    for number, finding in enumerate(shown, 1):
        yield from _finding(context, number, finding, verbose)
    yield from _way_to_lines(context)


Brief = tuple[Finding, str, list[str]]


def told_in_brief(context: Context) -> list[Brief]:
    """Returns the findings of a log, each with a sentence on its line of code (or on how to record
    it; "" if neither) and with the results of `darshan try` as sentences."""
    way = "No line: recorded without DARSHAN_SITES=1." if _could_have_lines(context) else ""
    return [
        (
            f,
            (context.where(f) or way) if _leads_to_line(f) else "",
            context.tried(f),
        )
        for f in context.findings
    ]


def brief(findings: Sequence[list[Brief]], most: int) -> Iterator[str]:
    """Yields the costliest problems of some logs, a line or two each; the first with its line of
    code and remedy. Without a problem, yields hints; without hints, notices that may gain much;
    otherwise a sentence, and the I/O that takes most of the run. findings: of each log, from
    told_in_brief(). most: number of lines."""
    found = [pair for one in findings for pair in one]
    where = {id(finding): place for finding, place, _ in found}
    tried = {id(finding): texts for finding, _, texts in found}
    problems = shown_first(f for f, *_ in found)
    titles: dict[str, Finding] = {}
    for finding in problems:
        titles.setdefault(finding.title, finding)
    if titles:
        yield from _costliest(list(titles.values()), where, tried, most)
    else:
        facts = [f for f, *_ in found if _is_costly(f)][:1]
        told = [list(_fact_with_line(finding, where[id(finding)])) for finding in facts]
        told[:0] = [list(_without_problem(f)) for f, *_ in found if f.name == "fine"][:1]
        # A fact that explains most of the run comes before the sentence that the calls are fine.
        is_first = any(f.name == time_between.NAME for f in facts)
        yield from itertools.chain(*(reversed(told) if is_first else told))


def _is_costly(finding: Finding) -> bool:
    """Returns whether a finding only says which I/O takes much of the run, without a remedy that is
    sure to help."""
    return finding.kind in (FACT, NOTICE) and finding.name.startswith(costly.NAME)


def _leads_to_line(finding: Finding) -> bool:
    is_shown = finding.kind == PROBLEM or finding.is_hint or finding.gains_much
    return is_shown or _is_costly(finding)


def _fact_with_line(finding: Finding, place: str) -> Iterator[str]:
    """Yields the title of a finding and its line of code, on one line if both fit."""
    title = f"{finding.title}."
    if not place or place.startswith("No line:"):
        yield from first_fitting([title], _WIDTH, "  ")
        return
    texts = [list(_wrapped(f"{title} {text}")) for text in _places(visible(place))]
    fitting_ones = (lines for lines in texts if len(lines) <= _FACT)
    yield from next(fitting_ones, list(_wrapped(title))[:_FACT])


def _costliest(
    problems: list[Finding], where: dict[int, str], tried: dict[int, list[str]], most: int
) -> Iterator[str]:
    """Yields at most `most` lines: the first problem with its line of code and its remedy, then the
    titles of further problems, a note on what "work" is if a title needs it, and the command that
    shows more. problems: at least one. where, tried: line of code and results of `darshan try`, by
    id() of the finding."""
    first = problems[0]
    place, texts = where[id(first)], tried[id(first)][:1]
    told = [*_headline(first)]
    if place:
        told += first_fitting(_places(visible(place)), _WIDTH, "  ")[:2]
    others = [list(_headline(f)) for f in problems[1:_BRIEF]]
    # "of the work" needs a note below the findings.
    noted = int(_of_work(told))
    room = min(_REMEDY - len(texts), most - 1 - noted - len(told) - len(texts))
    if first.remedy.text and room > 0:
        told += fitting(visible(f"remedy: {first.remedy.text}"), _WIDTH, room, "  ")
    for text in texts:
        result = text.partition(" To keep it")[0].partition(" Instead: ")[0]
        told += fitting(visible(f"tried: {result}"), _WIDTH, 1, "  ")
    for lines_of_one in others:
        noted = int(_of_work(told + lines_of_one))
        if len(told) + len(lines_of_one) + noted + 1 > most:
            break
        told += lines_of_one
    yield from told
    if _of_work(told):
        if first.stake.slowed:
            yield "  work: the run's time without waits, and without what the recording took"
        else:
            yield "  work: the run's time without waits for other processes, or for a processor"
    yield "  darshan report --text LOG has the files, all remedies and examples"


def _of_work(told: list[str]) -> bool:
    return any(_OF_WORK in text for text in told)


def _without_problem(finding: Finding) -> Iterator[str]:
    """Yields the title of a finding that is not a problem, with a short explanation: the first
    sentence of a good finding, otherwise the remedy."""
    why = finding.sentence.partition(". ")[0].rstrip(".")
    texts = (f"{why}.", f"{why.partition(' (')[0]}.")
    told: list[str] = []
    for text in texts if finding.kind == GOOD else (finding.remedy.text,):
        told = fitting(visible(f"{finding.title}. {text}".rstrip()), _WIDTH, _WHY, "  ")
        if " ".join(line.strip() for line in told) != f"{finding.title}.":
            break
    yield from told


def _headline(finding: Finding) -> Iterator[str]:
    """Yields the title of a finding with the time at stake, on one line if both fit."""
    mark = "?" if finding.is_hint else "-" if finding.kind == NOTICE else "!"
    stake = finding.stake
    at, short = stake.text.partition("; ")[0].partition(" and ")[0], stake.brief
    if (stake.crowded or stake.slowed) and short:
        at = short  # a note below the findings defines "work"
    if not at:
        yield from first_fitting([f"{mark} {finding.title}"], _WIDTH)
        return
    same = " (partly the same seconds)" if stake.partly else " (the same seconds)"
    same = same if stake.same_as else ""
    # The longer text has the share, and says of what it is a share.
    for text in (f"{at}{same}", f"{short}{same}"):
        if len(line := f"{mark} {finding.title}: {text}") <= _WIDTH:
            yield visible(line)
            return
    yield from first_fitting([f"{mark} {finding.title}:"], _WIDTH)
    yield from first_fitting([f"  {at}{same}", f"  {short}{same}"], _WIDTH)


def _places(place: str) -> Iterator[str]:
    """Yields a sentence on a line of code, then ever shorter forms of it."""
    yield place
    yield place.replace(" on these files", "")
    line = place.rpartition(": ")[0] if place.startswith("At ") else place.partition(";")[0]
    line = place if place.startswith("No line:") or not line else f"{line.rstrip('.')}."
    yield line
    yield _THROUGH.sub("", line)
