"""Determines the formats of the files from which a training read its samples, by their names and by
the libraries that read them. The files themselves are never opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...classes import dataclass
from ...records import among
from ..facts import Facts, once
from ..programs import program_text
from ..table import Table

# Formats by file extension. The name of a record of many files is their folder and extension.
_BY_NAME = tuple(
    (title, re.compile(pattern, re.IGNORECASE))
    for title, pattern in (
        ("zarr", r"\.zarr/"),
        ("LMDB", r"(/|^)(data|lock)\.mdb$|\.l?mdb$"),
        ("TFRecord", r"\.tf_?records?(-\d+-of-\d+)?(\.gz)?$|\.tfrecord-\d+-of-\d+$"),
        ("ArrayRecord", r"\.array_?records?(-\d+-of-\d+)?$"),
        ("tar", r"\.tar(\.(gz|bz2|xz|zst))?$|\.tgz$"),
        ("Parquet", r"\.(parquet|pq)$"),
        ("Arrow", r"\.(arrow|feather)$"),
        ("HDF5", r"\.(h5|hdf5?|he5|nc4)$"),
        ("npy", r"\.npy$"),
        ("npz", r"\.npz$"),
        ("image", r"\.(jpe?g|jp2|png|bmp|gif|webp|tiff?|ppm|pgm|dcm)$"),
        ("audio or video", r"\.(wav|flac|mp3|ogg|opus|m4a|mp4|avi|mkv|webm)$"),
        ("MosaicML shard", r"\.mds(\.zstd?)?$"),
        ("RecordIO", r"\.rec$"),
        ("safetensors", r"\.safetensors$"),
        ("pickle", r"\.(pt|pth|pkl|pickle)$"),
        ("zip", r"\.zip$"),
        ("text", r"\.(csv|tsv|txt|jsonl?|ndjson|xml)(\.(gz|zst))?$"),
    )
)
_ZARR = re.compile(r"/(zarr\.json|\.zarray|\.zgroup|\.zmetadata)$")  # files in folders of zarr
_OTHER = "other"


@dataclass(frozen=True)
class Format:
    """The files of one format that a program read, and wrote at most once. title: such as
    "Parquet"."""

    title: str
    files: int
    opens: int
    read: int  # bytes that calls read
    touched: int  # bytes of mapped files that the program touched
    seconds: float  # seconds in calls on these files, summed over processes
    later: int = 0  # POSIX reads after the first one of each open
    forward: int = 0  # POSIX reads, first ones included, behind the end of the last read

    @property
    def moved(self) -> int:
        """The bytes that calls read, plus those that the program touched in mapped files."""
        return self.read + self.touched

    @property
    def in_order(self) -> float | None:
        """The share (0 to 1) of reads that go forward in their file: near 1 for files read from
        the begin to the end, and less the more the samples are shuffled. It is None if most files
        were read at once, or through streams."""
        return min(1.0, self.forward / self.later) if self.later >= max(1, 2 * self.opens) else None


def _title(name: str, zarr: tuple[str, ...]) -> str:
    if zarr and (name.startswith(zarr) or _ZARR.search(name)):
        return "zarr"
    return next((title for title, pattern in _BY_NAME if pattern.search(name)), _OTHER)


def _by_library(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the files that HDF5 opened, whatever their extension."""
    files = facts.table("H5F")
    if files is None:
        return np.zeros(len(table), bool)
    found: np.ndarray = among(table.ids, files.ids)
    return found


def _touched(facts: Facts, table: Table) -> np.ndarray:
    """Returns a lower bound of the bytes that the program touched in each mapped file."""
    found = np.zeros(len(table), "f8")
    extra = facts.table("POSIX_EXT")
    if table.prefix != "POSIX" or extra is None or not extra.has("MMAP_TOUCHED"):
        return found
    touched = np.maximum(extra["MMAP_TOUCHED"], 0)
    for at in np.flatnonzero(touched > 0):
        place = table.place(int(extra.ids[at]))
        if place is not None:
            found[place] = touched[at]
    return found


def _of_table(facts: Facts, table: Table) -> Iterator[tuple[int, Format]]:
    """Yields the record id and a Format of each file of a table that may contain samples."""
    touched = _touched(facts, table)
    # A file that the program wrote once may be a cache of samples; a file that it wrote several
    # times is not.
    size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
    mask = ((table["BYTES_READ"] > 0) | (touched > 0)) & (table["BYTES_WRITTEN"] <= size)
    mask &= ~program_text.which(facts, table)
    hdf5, opens = _by_library(facts, table), facts.opens(table)
    files, time = facts.files(table), facts.time(table)
    reads = table["READS"] if table.prefix == "POSIX" else np.zeros(len(table))
    forward = table["SEQ_READS"] if table.prefix == "POSIX" else reads
    names = {int(place): facts.name(int(table.ids[place])) for place in np.flatnonzero(mask)}
    zarr = tuple({_ZARR.sub("/", name) for name in names.values() if _ZARR.search(name)})
    for place, name in names.items():
        yield (
            int(table.ids[place]),
            Format(
                "HDF5" if hdf5[place] else _title(name, zarr),
                int(files[place]),
                int(opens[place]),
                int(table["BYTES_READ"][place]),
                int(touched[place]),
                float(time[place]),
                max(0, int(reads[place]) - int(opens[place])),
                int(forward[place]),
            ),
        )


def _sum(title: str, some: Sequence[tuple[int, Format]]) -> Format:
    """Returns the sum of files of one format. A file that a program reads both with read() and
    through a stream, as numpy.load does, has a record of each layer, and is one file."""
    files: dict[int, int] = {}
    for number, one in some:
        files[number] = max(files.get(number, 0), one.files)
    found = [one for _, one in some]
    return Format(
        title,
        sum(files.values()),
        sum(one.opens for one in found),
        sum(one.read for one in found),
        sum(one.touched for one in found),
        sum(one.seconds for one in found),
        sum(one.later for one in found),
        sum(one.forward for one in found),
    )


@once
def formats(facts: Facts) -> tuple[Format, ...]:
    """Returns the formats of the files that a program read, and wrote at most once, ordered by
    bytes, most first; files of unknown format are "other". Program files are not counted."""
    found: dict[str, list[tuple[int, Format]]] = {}
    for layer, table in facts.layers:
        if layer.module in ("POSIX", "STDIO"):
            for number, one in _of_table(facts, table):
                found.setdefault(one.title, []).append((number, one))
    sums = [_sum(title, some) for title, some in found.items()]
    return tuple(sorted(sums, key=lambda one: (-one.moved, one.title)))
