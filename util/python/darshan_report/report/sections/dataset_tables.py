"""The tables about HDF5 datasets and files: bytes, time, and how datasets are stored."""

from __future__ import annotations

from itertools import takewhile

from ...classes import dataclass
from ...measure.layers.attribution import (
    ATTR,
    CHUNKED,
    CLOSE,
    FLUSH,
    LAYOUTS,
    META,
    OPEN,
    READ,
    WRITE,
    Attribution,
    Upper,
)
from ...show.model import Column, Table
from ...show.text import ELLIPSIS, printable, shorten, shorten_all
from ...units import NONE, amount, count, plural, seconds, share
from ..context import Context

_FILE_NAME = 34  # characters
_SHAPE = 30


def factor(value: float | None, at_least: bool = False) -> str:
    """Returns a ratio of bytes as text: "24.1", or ">= 24.1" if `at_least`; a dash for None."""
    if value is None:
        return NONE
    if 0 < value < 0.01:
        return "< 0.01"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{'>= ' if at_least else ''}{value:,.{digits}f}"


@dataclass(frozen=True)
class Name:
    """The name of a dataset in a table, and a shorter label for the bars of plots."""

    full: str
    label: str


def endings(texts: list[str], width: int) -> list[str]:
    """Returns the end of each name, at most `width` characters. If ends are equal, first cuts off
    the end that all names share. If that is not enough, cuts each name around the characters in
    which the names differ."""
    cut = [ending(text, width) for text in texts]
    if len(set(cut)) == len(set(texts)):
        return cut
    from_the_end = zip(*(reversed(text) for text in texts))
    common = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, from_the_end))
    cut = [f"{ending(text[: len(text) - common], width - 1)}{ELLIPSIS}" for text in texts]
    return cut if len(set(cut)) == len(set(texts)) else shorten_all(texts, width)


def ending(text: str, width: int) -> str:
    """Returns the last `width` characters of a name, because names of datasets differ mostly at
    their ends."""
    text = printable(text)
    return text if len(text) <= width else f"{ELLIPSIS}{text[1 - width :]}"


def _distinct(dataset: Upper) -> str:
    least = amount(max(0, dataset.distinct - max(0, dataset.counters["DISTINCT_ERROR"])))
    most = amount(dataset.distinct)
    if least == most:
        return most
    number, _, unit = least.partition(" ")
    return f"{number if most.endswith(f' {unit}') else least} to {most}"


def _again(dataset: Upper, direction: str) -> str:
    times, blurred = dataset.again(direction), dataset.counters["DISTINCT_ERROR"] > 0
    if times is not None and blurred:
        times = max(1.0, times)  # every transferred byte was transferred at least once
    return factor(times, blurred)


def _bytes_row(number: int, name: Name, dataset: Upper) -> tuple[str, ...]:
    calls = dataset.calls()
    return (
        str(number),
        name.full,
        amount(dataset.asked),
        amount(dataset.moved()),
        factor(dataset.amplification if dataset.moved() else None),
        _distinct(dataset),
        _again(dataset, "READ"),
        _again(dataset, "WRITTEN"),
        factor(dataset.lower_calls() / calls if calls else None),
    )


def bytes_table(names: list[Name], datasets: list[Upper]) -> Table:
    """Returns the table of requested and transferred bytes, a row per dataset. names: of the
    datasets, in their order."""
    columns = (
        Column("", right=True),
        Column("Dataset", code=True),
        Column("Asked", right=True),
        Column("Moved", right=True),
        Column("Moved / asked", right=True),
        Column("Distinct", right=True),
        Column("Re-read", right=True),
        Column("Re-written", right=True),
        Column("Calls per call", right=True),
    )
    note = (
        "Asked: bytes that the program requested in reads and writes of the dataset. Moved: bytes "
        "that POSIX read and wrote in calls on the dataset, compressed as in the file; bytes that "
        "HDF5 wrote only when the file was flushed or closed count for the file, below. When its "
        "metadata cache is full, HDF5 writes the metadata of all objects in the current call, so "
        "the bytes of a dataset may include those of others. "
        "Moved / asked: the amplification. Distinct: different bytes of the file among the moved "
        "ones. If this is a range, the runtime has merged neighbouring regions, and the upper "
        "bound may be too high (DISTINCT_ERROR). Re-read, Re-written: "
        "how often each distinct byte was read or written; 1.00 is once. Calls per call: POSIX "
        "calls per HDF5 call on the dataset. Streams, where HDF5 uses them, count as POSIX."
    )
    rows = [_bytes_row(i, name, d) for i, (name, d) in enumerate(zip(names, datasets), 1)]
    return Table(columns, tuple(rows), note)


def _storage(attribution: Attribution, dataset: Upper) -> tuple[str, str, str, str]:
    """Returns four cells on how a dataset is stored: shape of its chunks or its layout, number of
    filters, size of the chunk cache, and how many chunks fit into the cache."""
    counters = dataset.counters
    filters = count(max(0, counters["FILTERS"]))
    if counters["LAYOUT"] != CHUNKED:
        return LAYOUTS.get(counters["LAYOUT"], NONE), filters, NONE, NONE
    chunks = attribution.chunks(dataset.id)
    shape = " x ".join(map(str, chunks.shape)) or "chunks"
    if chunks.shape and chunks.dimensions > len(chunks.shape):
        shape = f"{ELLIPSIS} x {shape}"  # H5D stores only the five fastest dimensions
    size, cache = counters["CHUNK_BYTES"], counters["CHUNK_CACHE_BYTES"]
    return (
        f"{shorten(shape, _SHAPE)} ({amount(size)})",
        filters,
        f"{amount(cache)}, {plural(counters['CHUNK_CACHE_SLOTS'], 'slot')}",
        count(cache // size) if size > 0 else NONE,
    )


def time_table(attribution: Attribution, datasets: list[Upper]) -> Table:
    """Returns the table of the time in each layer and of how the datasets are stored, a row per
    dataset."""
    parallel = any(dataset.mpi_time() > 0 for dataset in datasets)
    columns = (
        Column("", right=True),
        Column("Time", right=True),
        Column("HDF5 itself", right=True),
        *([Column("MPI", right=True)] if parallel else []),
        Column("POSIX", right=True),
        Column("Reads", right=True),
        Column("Writes", right=True),
        Column("Flush, close", right=True),
        Column("Chunk or layout"),
        Column("Filters", right=True),
        Column("Chunk cache"),
        Column("Holds", right=True),
    )
    rows = []
    for number, dataset in enumerate(datasets, 1):
        time = dataset.time()
        rows.append(
            (
                str(number),
                seconds(time),
                share(dataset.own_time(), time),
                *([share(dataset.mpi_time(), time)] if parallel else []),
                share(dataset.lower_time(), time),
                seconds(dataset.time((READ,))),
                seconds(dataset.time((WRITE,))),
                seconds(dataset.time((FLUSH, CLOSE))),
                *_storage(attribution, dataset),
            )
        )
    note = (
        "Time: in all calls on the dataset, including the layers below, summed over processes; "
        "then the shares in HDF5 itself (time minus POSIX: filters, copying, chunk lookups, "
        "waiting) and in POSIX; then the times of its reads, its writes, and its flushes and "
        "closes. Chunk: its shape, slowest dimension first, and its size before "
        "filters. Chunk cache: its size, and how many whole chunks fit into it; a chunk that does "
        "not fit is read and decompressed again for every call that uses it."
    )
    return Table(columns, tuple(rows), note)


def files_table(context: Context, attribution: Attribution, most: int) -> Table:
    """Returns the table of the time in calls on HDF5 files themselves, the `most` files with the
    most time."""
    columns = (
        Column("HDF5 file", code=True),
        Column("Open", right=True),
        Column("Close", right=True),
        Column("Flush", right=True),
        Column("Attributes", right=True),
        Column("Metadata", right=True),
        Column("Together", right=True),
        Column("POSIX", right=True),
        Column("Moved", right=True),
        Column("Datasets", right=True),
    )
    rows = []
    files = attribution.files(most)
    names = context.shown.all([context.name(file.id) for file in files], _FILE_NAME)
    for file, name in zip(files, names):
        inside = attribution.contents.get(file.id)
        rows.append(
            (
                name,
                *(seconds(file.time((o,))) for o in (OPEN, CLOSE, FLUSH, ATTR, META)),
                seconds(file.time()),
                share(file.lower_time(), file.time()),
                amount(file.moved()),
                f"{inside.datasets:,}: {seconds(inside.time)}" if inside else NONE,
            )
        )
    left = attribution.num_files - len(rows)
    note = (
        "Times of calls on the file itself, its groups and attributes, summed over processes; "
        "POSIX: the share of this time in POSIX. Moved: bytes that POSIX moved in these "
        "calls. Calls on the file's datasets are not included: the last column has their number "
        "and time."
    ) + (f" {left:,} more files are not shown." if left > 0 else "")
    return Table(columns, tuple(rows), note)
