"""The tables about HDF5 metadata: the metadata calls per HDF5 file, and how many of the bytes that
each dataset transferred were metadata."""

from __future__ import annotations

from ...classes import dataclass
from ...measure.layers.attribution import Attribution, Metadata, Upper
from ...show.model import Block, Column, Heading, Table
from ...units import NONE, amount, seconds
from ..context import Context
from .dataset_tables import Name

_FILE_NAME = 34  # characters
_DIRECTIONS = ("READ", "WRITTEN")


@dataclass(frozen=True)
class Group:
    """A column of the table of metadata calls: the counters of H5_META whose sum it shows."""

    title: str
    prefixes: tuple[str, ...]  # of the counters' names
    time: str  # middle of the name of the counter of seconds, H5_META_F_<time>_TIME


GROUPS = (
    Group("Attributes", ("ATTR_",), "ATTR"),
    Group("Groups", ("GROUP_",), "GROUP"),
    Group("Links", ("LINK_",), "LINK"),
    Group("Objects, types", ("OBJECT_", "TYPE_"), "OBJECT"),
    Group("Others", ("SET_EXTENTS", "REFRESHES", "CHUNK_", "SWMR_", "MULTI_"), "OTHER"),
)


def _cell(file: Metadata, group: Group) -> str:
    calls = file.calls(group.prefixes)
    return f"{calls:,}: {seconds(file.times[f'F_{group.time}_TIME'])}" if calls else NONE


def calls_table(context: Context, attribution: Attribution, most: int) -> list[Block]:
    """Returns the table of calls on attributes, groups, links and objects, and the seconds in them,
    for at most `most` HDF5 files; [] if there are no such calls."""
    files = [file for file in attribution.metadata if file.calls(("",))]
    if not files:
        return []
    columns = [Column("HDF5 file", code=True)]
    columns += [Column(group.title, right=True) for group in GROUPS]
    names = context.shown.all([context.name(file.id) for file in files[:most]], _FILE_NAME)
    rows = [(name, *(_cell(file, group) for group in GROUPS)) for file, name in zip(files, names)]
    left = len(files) - len(rows)
    note = (
        "Number of calls and the time in them, summed over processes. Attributes: created, opened, "
        "read, written, deleted, closed and others. Others: datasets extended or refreshed, raw "
        "chunk transfers, changes to SWMR mode, transfers of several datasets; transfers "
        "are timed with their datasets."
    ) + (f" {left:,} more files are not shown." if left > 0 else "")
    return [
        Heading("Calls on metadata of the files", level=1),
        Table(tuple(columns), tuple(rows), note),
    ]


def _raw(dataset: Upper, direction: str) -> tuple[str, str]:
    raw = dataset.counters[f"DISTINCT_RAW_BYTES_{direction}"]
    if raw < 0:
        return NONE, NONE
    rest = max(0, dataset.counters[f"DISTINCT_BYTES_{direction}"] - raw)
    return amount(raw), amount(rest)


def raw_table(names: list[Name], datasets: list[Upper]) -> list[Block]:
    """Returns the table of raw data and metadata bytes that POSIX moved for each dataset; [] if the
    user did not switch this recording on."""
    known = [
        (number, name, dataset)
        for number, (name, dataset) in enumerate(zip(names, datasets), 1)
        if dataset.distinct > 0
        and any(dataset.counters[f"DISTINCT_RAW_BYTES_{d}"] >= 0 for d in _DIRECTIONS)
    ]
    if not known:
        return []
    columns = (
        Column("", right=True),
        Column("Dataset", code=True),
        Column("Raw data read", right=True),
        Column("Metadata read", right=True),
        Column("Raw data written", right=True),
        Column("Metadata written", right=True),
    )
    rows = tuple(
        (str(number), name.full, *_raw(dataset, "READ"), *_raw(dataset, "WRITTEN"))
        for number, name, dataset in known
    )
    note = (
        "Different bytes of the file that POSIX moved in calls on the dataset. Raw data: bytes at "
        "the addresses that HDF5 reports for the dataset's elements. Metadata: the others, such "
        "as headers and B-trees."
    )
    return [Heading("Raw data and metadata of the datasets", level=1), Table(columns, rows, note)]
