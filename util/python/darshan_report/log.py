"""One log: its job, its names, and its records as numpy arrays. api.py adds frames, traces,
findings and plots."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Iterator

import numpy as np

from . import library, structs
from .classes import dataclass
from .closing import Closing
from .library import LogError
from .records import Records
from .tables import Module, UnknownName, module_by_id, module_by_name, module_names

_COMPRESSION = ("ZLIB", "BZIP2", "NONE")
_REPR_EXE = 60  # characters of the command line in repr()


@dataclass(frozen=True)
class Region:
    """The part of a log with one module's records: id, name, length, version, and whether it is
    complete."""

    id: int
    name: str | None  # None: this release does not know the id
    length: int  # bytes as stored
    version: int  # of the module's records
    partial: bool  # the log lacks records of the module


@dataclass(frozen=True)
class Info:
    """Everything in a log except its records and names. Times of the day are seconds since 1970."""

    version: str  # of the log's format, "3.41"
    compression: str  # "ZLIB", "BZIP2" or "NONE"
    uid: int
    jobid: int
    nprocs: int  # number of processes
    start: float
    end: float
    run_time: float  # seconds; negative for a live journal
    exe: str  # command line
    metadata: tuple[tuple[str, str], ...]
    mounts: tuple[tuple[str, str], ...]  # (mount point, type), longest mount point first
    regions: tuple[Region, ...]
    annex_problem: str  # reason why a damaged annex was skipped; empty if it is not damaged

    @property
    def live(self) -> bool:
        """Whether this is the journal of a process that has not ended."""
        return self.run_time < 0

    def region(self, module: str) -> Region | None:
        """Returns the region of a module, by the name that darshan-parser prints ("POSIX"); None if
        the log has none."""
        return self._by_name.get(module)

    @functools.cached_property
    def _by_name(self) -> dict[str | None, Region]:
        """Regions by name; if two regions have one name, the first."""
        return {r.name: r for r in reversed(self.regions)}


def _info(raw: structs.Info) -> Info:
    job = raw.job
    known = 0 <= raw.compression < len(_COMPRESSION)
    return Info(
        version=library.text(raw.version),
        compression=_COMPRESSION[raw.compression] if known else str(raw.compression),
        uid=job.uid,
        jobid=job.jobid,
        nprocs=job.nprocs,
        start=job.start_time_sec + job.start_time_nsec / 1e9,
        end=job.end_time_sec + job.end_time_nsec / 1e9,
        run_time=raw.run_time,
        exe=library.text(raw.exe),
        metadata=tuple(
            (library.text(m.key), library.text(m.value)) for m in raw.metadata[: raw.num_metadata]
        ),
        mounts=tuple(
            (library.text(m.path), library.text(m.type)) for m in raw.mounts[: raw.num_mounts]
        ),
        regions=tuple(
            Region(
                m.id, library.text(m.name) if m.name else None, m.length, m.version, bool(m.partial)
            )
            for m in raw.modules[: raw.num_modules]
        ),
        annex_problem=library.text(raw.annex_problem),
    )


class Log(Closing):
    """An open log. Use it as a context manager. Arrays from it stay valid after the log is
    closed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens a log. Raises LogError if the file is not a log, or if the part before its records
        is damaged."""
        self._library = library.load()
        error = structs.Error()
        self._handle: int = self._library.darshan_log_read(os.fsencode(path), ctypes.byref(error))
        if not self._handle:
            raise LogError(library.message(error))
        self._finalizer = weakref.finalize(self, self._library.darshan_log_free, self._handle)
        self.path = os.fspath(path)
        self.info = _info(self._library.darshan_log_info(self._handle).contents)

    def close(self) -> None:
        """Closes the log; a second call is harmless."""
        self._finalizer()

    @property
    def closed(self) -> bool:
        """Whether the log is closed. info remains available, but the records do not."""
        return not self._finalizer.alive

    def __repr__(self) -> str:
        exe, ranks = self.info.exe, self.info.nprocs
        command = exe if len(exe) <= _REPR_EXE else f"{exe[: _REPR_EXE - 3]}..."
        state = "not finished" if self.info.live else f"{self.info.run_time:.3g} s"
        names = ", ".join(module.name for module in self.modules()) or "none"
        return (
            f"<Log {self.path!r}{' (closed)' if self.closed else ''}: {command!r}, "
            f"{ranks} {'process' if ranks == 1 else 'processes'}, {state}; modules: {names}>"
        )

    def _open_handle(self) -> int:
        if self.closed:
            raise LogError(f"{self.path}: the log is closed")
        return self._handle

    def name(self, record: int) -> str | None:
        """Returns the name that belongs to a record id (mostly a path); None if the log has no name
        for it. Raises LogError if the log is closed."""
        found = self._library.darshan_log_name(self._open_handle(), record)
        return None if found is None else library.text(found)

    def names(self) -> dict[int, str]:
        """Returns all names by record id. Raises LogError if the log is closed."""
        found: dict[int, str] = {}

        def each(record: int, name: bytes, _context: int | None) -> None:
            found[record] = library.text(name)

        handle = self._open_handle()
        self._library.darshan_log_each_name(handle, library.NAME_CALLBACK(each), None)
        return found

    def mount(self, name: str) -> tuple[str, str] | None:
        """Returns mount point and type of the file system that contains the path `name`; None if
        unknown."""
        place = self._library.darshan_log_mount(self._open_handle(), library.raw(name))
        return None if place < 0 else self.info.mounts[place]

    def modules(self) -> tuple[Module, ...]:
        """Returns the known modules that have data in this log, in id order."""
        found = (module_by_id(r.id) for r in self.info.regions if r.length > 0)
        return tuple(m for m in found if m is not None)

    def work(self, io: float = 0.0) -> float | None:
        """Returns the seconds in which the processes of a run could work, summed over processes:
        their lifetimes without the waits for child processes. Returns None if the log lacks the
        data; then the run time of each process is its working time. io: seconds that a single
        process spent in I/O, a lower bound of its working time; 0: there is no bound. Raises
        LogError if the log is damaged."""
        found, error = ctypes.c_double(), structs.Error()
        known = self._library.darshan_log_work(
            self._open_handle(), io, ctypes.byref(found), ctypes.byref(error)
        )
        if known < 0:
            raise LogError(library.message(error))
        return found.value if known else None

    def records(self, module: str | Module) -> Records:
        """Returns all records of a module, as arrays without a copy. If the module has no data, the
        arrays are empty. Raises LogError if the region is damaged, UnknownName (a KeyError) if
        there is no such module, and ValueError if the module's records vary in size."""
        found = self._module(module)
        if not found.fixed:
            raise ValueError(f"records of {found.name} vary in size: use log.each()")
        region = self.info.region(found.name)
        if region is None or region.length == 0:
            return Records(found, np.empty(0, found.dtype))
        block = ctypes.c_void_p()
        error = structs.Error()
        count = self._library.darshan_log_load(
            self._open_handle(), found.id, ctypes.byref(block), ctypes.byref(error)
        )
        if count < 0:
            raise LogError(library.message(error))
        if count == 0 or not block.value:
            self._library.darshan_block_free(block)
            return Records(found, np.empty(0, found.dtype))
        memory = (ctypes.c_char * (count * found.record_size)).from_address(block.value)
        weakref.finalize(memory, self._library.darshan_block_free, block.value)
        return Records(found, np.frombuffer(memory, found.dtype))

    def each(self, module: str | Module) -> Iterator[bytes]:
        """Yields the records of any module one by one, as bytes in the current release's layout.

        variable.py converts the records of HEATMAP, DXT and LUSTRE to objects. Raises LogError at
        the record where the region is damaged."""
        for record in self.each_in_place(module):
            yield bytes(record)

    def each_in_place(self, module: str | Module) -> Iterator[memoryview]:
        """Yields the same records as each(), without copies: a view is valid only until the next
        record is requested. Raises LogError if the module's region is damaged."""
        found = self._module(module)
        region = self.info.region(found.name)
        if region is None or region.length == 0:
            return
        error = structs.Error()
        records = self._library.darshan_records_open(
            self._open_handle(), found.id, ctypes.byref(error)
        )
        if not records:
            raise LogError(library.message(error))
        try:
            yield from self._each(records)
        finally:
            self._library.darshan_records_close(records)

    def _each(self, records: int) -> Iterator[memoryview]:
        """Yields the bytes of each record of an open iteration, as views that are valid until the
        next one. records: handle of the iteration. Raises LogError if a record is damaged."""
        error = structs.Error()
        record, size = ctypes.c_void_p(), ctypes.c_size_t()
        while True:
            state = self._library.darshan_records_next(
                records, ctypes.byref(record), ctypes.byref(size), ctypes.byref(error)
            )
            if state == 0:
                return
            if state < 0 or record.value is None:
                raise LogError(library.message(error))
            yield memoryview((ctypes.c_char * size.value).from_address(record.value)).cast("B")

    @staticmethod
    def _module(module: str | Module) -> Module:
        if isinstance(module, Module):
            return module
        found = module_by_name(module)
        if found is None:
            raise UnknownName("there is no module", module, module_names())
        return found


def open_log(path: str | os.PathLike[str]) -> Log:
    """Opens a log for code of this package. Users of the package call open_log() of api.py."""
    return Log(path)
