"""Writes logs for single tests: a few records with a few counters; all other counters are zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from darshan_report import open_log
from darshan_report.diagnose.finding import Finding
from darshan_report.diagnose.run import diagnose
from darshan_report.measure.files import overflow
from darshan_report.tables import module_by_name
from logs.encode import encode
from logs.layouts import MODULE_IDS
from logs.model import Log, Module

MIB = 1 << 20
_ALL = -1
FIRST_ANNEX = 64  # id of the first module of the annex


@dataclass(frozen=True)
class Row:
    """A record. values: counters by name, without the prefix of their module."""

    module: str
    name: str
    values: dict[str, float]
    rank: int = 0
    file: str = ""  # name of the file record that a dataset or variable belongs to


@dataclass(frozen=True)
class Job:
    """A log to write: its rows and the job's metadata."""

    rows: tuple[Row, ...]
    seconds: int = 10  # run time
    start: int = 1_700_000_000  # Unix time in seconds
    nprocs: int = 1
    metadata: bytes = b"lib_ver=3.5.0\n"
    mount: bytes = b"ext4"  # file system type of /
    command: bytes = b"./app -x 1"
    partial: tuple[str, ...] = ()  # modules with the partial flag
    extra: tuple[Module, ...] = field(default=())  # modules without Rows, such as heat maps
    names: tuple[str, ...] = ()  # of records of `extra`

    def but(self, place: int = 0, **values: float) -> Job:
        """Returns the same job with other values in one row. place: the index of the row."""
        row = self.rows[place]
        rows = list(self.rows)
        rows[place] = replace(row, values={**row.values, **values})
        return replace(self, rows=tuple(rows))


def number_of(name: str) -> int:
    """Returns the id of a record: a number that depends only on the name, or the runtime's id of
    the overflow record."""
    if name == overflow.NAME:
        return int(overflow.ID)
    return int.from_bytes(name.encode()[-7:], "big") + len(name)


def row(module: str, name: str, rank: int = 0, file: str = "", **values: float) -> Row:
    """Returns a row; the keywords are its counters, without the prefix of the module."""
    return Row(module, name, values, rank, file)


def shared(module: str, name: str, **values: float) -> Row:
    """Returns a row of a file that all ranks share (rank -1)."""
    return Row(module, name, values, _ALL)


def _prefix(module: str) -> str:
    """Returns the prefix of a module's counters, without the underscore."""
    return {"MPI-IO": "MPIIO"}.get(module, module)


def _array(module: str, rows: Sequence[Row]) -> np.ndarray:
    """Returns the records of a module as an array."""
    table = module_by_name(module)
    assert table is not None, module
    array = np.zeros(len(rows), table.dtype)
    for place, one in enumerate(rows):
        array[place]["id"], array[place]["rank"] = number_of(one.name), one.rank
        if one.file:
            array[place]["file_rec_id"] = number_of(one.file)
        for name, value in one.values.items():
            array[place][f"{_prefix(module)}_{name}"] = value
    return array


def write(job: Job, path: Path) -> Path:
    """Writes the log of a job to `path`; returns the path."""
    modules: dict[str, list[Row]] = {}
    for one in job.rows:
        modules.setdefault(one.module, []).append(one)
    made, annex = [], []
    for name, rows in modules.items():
        table = module_by_name(name)
        assert table is not None
        raw: dict[str, Any] = {"raw": _array(name, rows).tobytes(), "number": table.id}
        module = Module(name, table.version, partial=name in job.partial, **raw)
        (annex if table.id >= FIRST_ANNEX else made).append(module)
    log = Log(
        start=(job.start, 0),
        end=(job.start + job.seconds, 0),
        nprocs=job.nprocs,
        exe=job.command,
        metadata=job.metadata,
        mounts=[(b"/", job.mount)],
        names=[
            (number_of(name), name.encode()) for name in (*(r.name for r in job.rows), *job.names)
        ],
        modules=[*made, *(more for more in job.extra if MODULE_IDS[more.name] < FIRST_ANNEX)],
        annex=[*annex, *(more for more in job.extra if MODULE_IDS[more.name] >= FIRST_ANNEX)],
    )
    path.write_bytes(encode(log))
    return path


def findings(job: Job, folder: Path) -> dict[str, Finding]:
    """Writes a job's log into a folder, and returns the log's findings by their names."""
    with open_log(write(job, folder / "log.darshan")) as log:
        return {f.name: f for f in diagnose(log)}
