"""Reads traces from a log, or from the output of darshan-dxt-parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..classes import dataclass
from ..library import LogError
from ..log import open_log
from ..variable import DXT_SEGMENT, traces

MODULES = ("DXT_MPIIO", "DXT_POSIX")
_MAGIC = (6567223).to_bytes(8, "little"), (6567223).to_bytes(8, "big")
_ROW = re.compile(
    r" ?X_(POSIX|MPIIO)\s+(-?\d+)\s+(write|read)\s+\d+\s+(\S+)\s+(\d+)\s+(\S+)\s+(\S+)"
)
_FILE = re.compile(r"# DXT, file_id: (\d+), file_name: (.*)")


@dataclass(frozen=True, eq=False)
class Trace:
    """All transfers of one rank with one file, the writes and the reads each in the order of the
    calls."""

    module: str  # DXT_POSIX or DXT_MPIIO
    id: int  # record id of the file
    name: str
    rank: int
    writes: np.ndarray  # fields as in DXT_SEGMENT
    reads: np.ndarray


def _of_log(path: str) -> Iterator[Trace]:
    with open_log(path) as log:
        names = log.names()
        for module in MODULES:
            region = log.info.region(module)
            for trace in traces(log, module) if region and region.length else ():
                name = names.get(trace.id, "(null)")
                yield Trace(module, trace.id, name, trace.rank, trace.writes, trace.reads)


def _segments(rows: list[tuple[int, int, float, float]]) -> np.ndarray:
    out = np.zeros(len(rows), DXT_SEGMENT)
    for i, (offset, length, start, end) in enumerate(rows):
        out[i] = (offset, length, start, end, 0)
    return out


class _Block:
    """The transfers of one file and rank in the text output of darshan-dxt-parser."""

    def __init__(self, number: str, name: str) -> None:
        self.id, self.name = int(number), name
        self.key: tuple[str, int] | None = None
        self.rows: dict[str, list[tuple[int, int, float, float]]] = {"write": [], "read": []}

    def add(self, row: re.Match[str]) -> None:
        layer, rank, kind, offset, length, start, end = row.groups()
        self.key = (f"DXT_{layer}", int(rank))
        place = -1 if offset == "N/A" else int(offset)
        if max(abs(place), int(length)) >= 1 << 63:
            raise OverflowError(offset)
        self.rows[kind].append((place, int(length), float(start), float(end)))

    def traces(self) -> Iterator[Trace]:
        if self.key is not None:
            module, rank = self.key
            writes, reads = (_segments(self.rows[kind]) for kind in ("write", "read"))
            yield Trace(module, self.id, self.name, rank, writes, reads)


def _of_text(path: str) -> Iterator[Trace]:
    """Yields the transfers in a file with the text output of darshan-dxt-parser. Raises LogError,
    with the number of the line, if it has another form."""
    block: _Block | None = None
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            heading, row = _FILE.match(line), _ROW.match(line)
            try:
                if heading:
                    if block:
                        yield from block.traces()
                    block = _Block(heading[1], heading[2])
                elif row and block:
                    block.add(row)
                elif line.strip() and not line.startswith("#"):
                    raise LogError(f"line {number} is not in the format of darshan-dxt-parser")
            except (ValueError, OverflowError):
                raise LogError(f"line {number} has an invalid number") from None
    if block:
        yield from block.traces()


def read(path: str) -> list[Trace]:
    """Returns all traces of a log, or of a text file that darshan-dxt-parser wrote. Raises LogError
    or OSError if it cannot be read."""
    with open(path, "rb") as file:
        head = file.read(16)
    return list(_of_log(path) if head[8:] in _MAGIC else _of_text(path))
