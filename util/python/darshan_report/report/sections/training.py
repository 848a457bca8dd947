"""The section about training in PyTorch: epochs, and how long the program waited for data."""

from __future__ import annotations

from collections.abc import Sequence

from ...diagnose.rules.run import long_imports
from ...diagnose.training.data_formats import Format, formats
from ...diagnose.training.loading import Verdict, verdicts
from ...diagnose.training.start import imports_by_line
from ...measure.fetches import Fetches
from ...measure.training import MODULE, Loader, Options, Span
from ...show.model import Block, Column, Heading, Paragraph, PlotRow, Table
from ...units import NONE, amount, count, plural, seconds, share
from ..context import Context
from ..plots import training_lanes as training_lanes_plot
from . import training_lanes

_ROWS = 20  # epochs of a loader
_RANKS = 8  # rows of ranks of a loader, those that waited longest
_LOADERS = 4
_OPTIONS, _NUMBERS = 4, 3  # different options of a loop's DataLoaders; numbers of their epochs
_MAKERS = 8  # rows of workers of a loader, those that made batches for the longest time
COLUMNS = (
    *("epoch", "time", "wait for data", "share", "first batch", "longest later", "batches"),
    *("read", "from storage"),
)
_NOTE = (
    "wait for data: time in iter() and next() of the DataLoader; first batch: the part of the "
    "wait up to the first batch, including the start of workers; longest later: the longest wait "
    "for a later batch; read: bytes that calls read for batches; from storage: what the kernel "
    "read from storage for them, the rest was in memory."
)
MADE = ("worker", "making", "opening", "reading", "computing", "ready", "waiting", "idle")
_MADE_TOO = ("collate_fn", "transforms", "batches", "read")
_MADE_NOTE = (
    "making: time in which batches were made. Its parts: opening and reading are calls on files "
    "(with look-ups, listings of folders, and writes); computing is other processor time; ready is "
    "ready to run without a processor; waiting is the rest, for example for a mapped page, a "
    "network or another thread. idle: time between batches. collate_fn and transforms: parts of "
    "making in these functions."
)


def told(context: Context) -> list[tuple[Verdict, str]]:
    """Returns, for each data loader, its verdict (whether the program waited for data, and why) and
    sentences about it. If a finding already gives the reason, the sentences leave it out."""
    found = {e.id for finding in context.findings for e in finding.evidence if e.module == MODULE}
    return [
        (verdict, verdict.headline if verdict.loader.id in found else verdict.sentence)
        for verdict in verdicts(context.facts)
    ]


def cells(span: Span, made: Fetches | None = None, title: str = "") -> tuple[str, ...]:
    """Returns the table row of one epoch, or of the sum of epochs, in the order of COLUMNS. made:
    how its batches were made; None: unknown. title: text in place of the number of the epoch; "":
    the number."""
    name = title or (count(span.number) if span.number else "all")
    return (name, *_numbers(span), *_sources(made))


def _sources(made: Fetches | None) -> tuple[str, str]:
    """Returns the cells of the bytes that were read by calls, and from storage; NONE for unknown
    ones."""
    if made is None:
        return NONE, NONE
    return amount(made.read), amount(made.stored) if made.stored is not None else NONE


def _numbers(span: Span) -> tuple[str, ...]:
    return (
        seconds(span.whole),
        seconds(span.wait),
        share(span.wait, span.whole),
        seconds(span.begin),
        seconds(span.longest),
        count(span.steps),
    )


def rows(loader: Loader, most: int) -> list[tuple[str, ...]]:
    """Returns at most `most` rows of epochs, then a row with their sum, then rows of ranks, in the
    order of COLUMNS."""
    shown = loader.epochs if len(loader.epochs) <= most else loader.epochs[: most - 1]
    found = [cells(span, loader.by_epoch.get(span.number)) for span in shown]
    left = loader.sums.epochs - sum(span.epochs for span in shown)
    if left > 0 and shown:
        found.append((f"{left:,} more", *(NONE,) * (len(COLUMNS) - 1)))
    return [*found, cells(loader.sums, loader.made), *_of_ranks(loader)]


def _of_ranks(loader: Loader) -> list[tuple[str, ...]]:
    """Returns a row for each of the ranks that waited longest; [] if there is only one rank."""
    if len(loader.ranks) < 2:
        return []
    shown = sorted(loader.ranks, key=lambda rank: -rank.wait)[:_RANKS]
    found = [cells(rank, title=f"rank {rank.number:,}") for rank in shown]
    if left := len(loader.ranks) - len(shown):
        found.append((plural(left, "more rank"), *(NONE,) * (len(COLUMNS) - 1)))
    return found


def maker_cells(made: Fetches, title: str) -> tuple[str, ...]:
    """Returns the cells of one process that made batches, or of a sum, in the order of the columns
    MADE."""
    opening = min(made.opening, made.files)
    times = (made.whole, opening, made.files - opening, made.computing, made.ready, made.other)
    return (title, *map(seconds, times), seconds(made.idle) if made.idle > 0 else NONE)


def _more_cells(made: Fetches) -> tuple[str, ...]:
    functions = (made.collating, made.transforming)
    shown = tuple(seconds(time) if time > 0 else NONE for time in functions)
    return (*shown, count(made.batches), amount(made.read))


def _name(made: Fetches, by_rank: bool) -> str:
    ranked = f", rank {made.rank:,}" if by_rank and made.rank is not None else ""
    return f"{made.worker:,}{ranked}"


def makers(loader: Loader) -> list[tuple[Fetches, str]]:
    """Returns the processes that made the batches of a loader, each with a name: its workers,
    ordered by time, longest first, and their sum. Without workers: the process itself. Returns []
    if unknown."""
    if loader.made is None:
        return []
    if not loader.by_worker:
        return [(loader.made, "none")]
    by_rank = len({made.rank for made in loader.by_worker}) > 1
    shown = sorted(loader.by_worker, key=lambda made: -made.whole)[:_MAKERS]
    found = [(made, _name(made, by_rank)) for made in shown]
    if len(loader.by_worker) == 1:
        return found
    return [*found, (loader.made, "all")]


def _made(loader: Loader, note: str) -> list[Block]:
    rows = [(*maker_cells(made, name), *_more_cells(made)) for made, name in makers(loader)]
    columns = tuple(
        Column(title, right=place > 0) for place, title in enumerate((*MADE, *_MADE_TOO))
    )
    return [Table(columns, tuple(rows), note)] if rows else []


DATA = ("data", "files", "opens", "read", "touched", "time", "in order")
_FORMATS = 8  # rows
_DATA_NOTE = (
    "Files that the program read and wrote at most once, without program files. format: from the "
    "extension, or because HDF5 opened the file. touched: bytes of mapped files, in whole pages. "
    "time: in calls on the files, over all processes; no call contains the time of reading pages "
    "of mapped files. in order: reads that go forward in their file, unless files are read at once."
)


def data_cells(one: Format) -> tuple[str, ...]:
    """Returns the cells of one data format, in the order of the columns DATA."""
    touched = amount(one.touched) if one.touched else NONE
    return (
        one.title,
        count(one.files),
        count(one.opens),
        amount(one.read),
        touched,
        seconds(one.seconds),
        share(one.in_order, 1.0) if one.in_order is not None else NONE,
    )


def data_rows(context: Context) -> list[tuple[str, ...]]:
    """Returns the cells of the _FORMATS data formats with the most bytes, a row each."""
    return [data_cells(one) for one in formats(context.facts)[:_FORMATS]]


def _said(options: Options) -> str:
    return ", ".join(
        f"{name}={value}"
        for name, value in (
            ("num_workers", options.workers),
            ("prefetch_factor", options.prefetch),
            ("persistent_workers", options.persistent),
            ("batch_size", options.batch_size),
        )
        if value is not None
    )


def settings(loader: Loader) -> str:
    """Returns a loader's options in PyTorch's terms, and the number of processes that used it, as
    text; "" if no option is known and one process used it. If the line iterates over DataLoaders
    with different options, returns the options of each, with the numbers of its epochs."""
    processes = ""
    if loader.processes > 1:
        processes = f"in {plural(loader.processes, 'process')}, whose times are added up"
    if len(loader.options) > 1:
        several = [
            f"DataLoader of epochs {_numbers_of(epochs)}: {_said(options)}."
            for options, epochs in list(loader.options.items())[:_OPTIONS]
        ]
        return " ".join((*several, *((f"All {processes}.",) if processes else ())))
    said = [*filter(None, (*map(_said, loader.options), processes))]
    return f"DataLoader: {', '.join(said)}." if said else ""


def _numbers_of(epochs: Sequence[int]) -> str:
    """Returns the numbers of some epochs as text, "1, 3, 5, …"."""
    return ", ".join(map(count, epochs[:_NUMBERS])) + (", …" if len(epochs) > _NUMBERS else "")


def sources(loader: Loader) -> str:
    """Returns a sentence on what the kernel read from storage for the batches, in the first epoch
    and in later ones; "" if unknown."""
    made = loader.by_epoch
    by_epoch = {number: one.stored for number, one in made.items() if one.stored is not None}
    if not by_epoch or loader.made is None or loader.made.stored is None:
        return ""
    if not loader.made.stored:
        return "No batch needed storage: what it read was in memory, in the kernel's page cache."
    later = [stored for number, stored in by_epoch.items() if number > 1]
    if 1 not in by_epoch or not later:
        return f"The kernel read {amount(loader.made.stored)} from storage for the batches."
    rest = sum(later) // len(later)
    which = "in each later one" if len(later) > 1 else "in the next one"
    found = amount(rest) + (" on average" if len(later) > 1 else "") if sum(later) else "nothing"
    return (
        f"For batches, the kernel read {amount(by_epoch[1])} from storage in the first epoch, and "
        f"{found} {which}."
    )


def _rate(value: float) -> str:
    return f"{value:.3g}" if value < 100 else count(round(value))


def rates(loader: Loader) -> str:
    """Returns a sentence on the batches and samples that the processes together got in a second of
    their epochs, and on the bytes that were read for each. Returns "" if there are no batches."""
    sums = loader.sums
    if sums.steps <= 0 or sums.whole <= 0:
        return ""
    each = sums.steps * max(1, loader.processes) / sums.whole
    size = loader.samples / sums.steps if loader.samples else 0
    what = f", {_rate(each * size)} samples" if size else ""
    text = f"{_rate(each)} batches{what} in a second"
    if loader.processes > 1:
        text += f", {plural(loader.processes, 'process')} together"
    if loader.made is not None and loader.made.read > 0:
        one = loader.made.read / (sums.steps * max(1, size))
        text += f"; {amount(int(one))} read for each {'sample' if size else 'batch'}"
    return f"{text}."


def imports(context: Context, loader: Loader) -> str:
    """Returns a sentence on the imports of the program if they took longer than an epoch; "" if
    not, or if unknown, or if several processes iterate, or if a finding says so. loader: that with
    the longest epochs."""
    if any(finding.name == long_imports.NAME for finding in context.findings):
        return ""
    facts, sums = context.facts, loader.sums
    if loader.processes != 1 or not sums.epochs:
        return ""
    spent, each = sum(imports_by_line(facts).values()), sums.whole / sums.epochs
    if spent < each or spent < facts.limits["stake.share"] * facts.run_time:
        return ""
    return (
        f"Importing modules took at least {seconds(spent)}, longer than an epoch "
        f"({seconds(each)}). python -X importtime tells which."
    )


def _loader(
    verdict: Verdict, sentence: str, note: str, between: Sequence[Block] = ()
) -> list[Block]:
    """Returns the blocks of a data loader. note: text below the table. between: blocks between its
    sentences and its tables."""
    columns = tuple(Column(title, right=place > 0) for place, title in enumerate(COLUMNS))
    found: list[Block] = [Paragraph(sentence, strong=True)]
    if said := settings(verdict.loader):
        found.append(Paragraph(said))
    for said in (rates(verdict.loader), sources(verdict.loader)):
        if said:
            found.append(Paragraph(said))
    found += between
    found.append(Table(columns, tuple(rows(verdict.loader, _ROWS)), note))
    return [*found, *_made(verdict.loader, _MADE_NOTE if note else "")]


def _lanes(context: Context) -> list[Block]:
    found = training_lanes.shown(context)
    return [PlotRow((training_lanes_plot.plot(found),))] if found is not None else []


def blocks(context: Context) -> list[Block]:
    """Returns the section about training; [] if the log has no epochs."""
    known = told(context)
    if not known:
        return []
    found: list[Block] = [Heading("Training")]
    shown = known[:_LOADERS]
    for place, (verdict, sentence) in enumerate(shown, 1):
        lanes = _lanes(context) if place == 1 else []
        found += _loader(verdict, sentence, _NOTE if place == len(shown) else "", lanes)
    if said := imports(context, known[0][0].loader):
        found.append(Paragraph(said))
    if rows_of_data := data_rows(context):
        columns = tuple(Column(title, right=place > 0) for place, title in enumerate(DATA))
        found.append(Table(columns, tuple(rows_of_data), _DATA_NOTE))
    if len(known) > _LOADERS:
        found.append(
            Paragraph(f"{len(known) - _LOADERS:,} more loops over a DataLoader are left out.")
        )
    return found
