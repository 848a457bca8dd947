"""Reads logs through the C interface of Darshan 3.5, in a process of its own. The structs are those
that PyDarshan declares, written here independently.

`python3 -m library.interface LIBRARY whole LOG...` prints a line of JSON for each log: all values
that the interface returns for it, with the bytes of its records.

`python3 -m library.interface LIBRARY ends LOG...` prints whether each log opens, and how reading
the records of its modules ends. With "cuts" or "flips" in place of "ends", one log is truncated or
changed in many ways, and the command prints how often each result occurs."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from logs.inprocess import damaged

# Size in bytes of the records of fixed size, by module.
FIXED = {1: 704, 2: 560, 3: 80, 4: 912, 5: 152, 6: 1120, 7: 112, 9: 248, 16: 584, 17: 696}
# Ids of modules whose records have variable size.
LUSTRE, DXT_POSIX, DXT_MPIIO, APMPI, HEATMAP = 8, 10, 11, 14, 15
# Bytes of the first and of the other records of APMPI, and the number that marks the first.
APMPI_HEAD, APMPI_RECORD, APMPI_MAGIC = 48, 5232, 0x41504D5049
# Ids of all modules whose records are read.
READ = (*FIXED, LUSTRE, DXT_POSIX, DXT_MPIIO, APMPI, HEATMAP)
SUMMED = (1, 2, 9, 16, 17)  # modules with an accumulator
SEGMENT = 32  # bytes of a DXT segment


class Job(ctypes.Structure):
    """The C struct darshan_job of Darshan 3.5: user id, times, number of processes, job id and
    metadata."""

    _fields_ = (
        *((name, c_int64) for name in ("uid", "start", "start_nsec", "end", "end_nsec")),
        *(("nprocs", c_int64), ("jobid", c_int64), ("metadata", c_char * 1024)),
    )


class Mount(ctypes.Structure):
    """The C struct darshan_mnt_info of Darshan 3.5: a file system's type and mount point."""

    _fields_ = (("type", c_char * 3015), ("path", c_char * 3015))


class Module(ctypes.Structure):
    """The C struct darshan_mod_info of Darshan 3.5: a module's name, stored length in bytes,
    version, id and partial flag."""

    _fields_ = (
        *(("name", c_char_p), ("len", c_int), ("ver", c_int), ("idx", c_int)),
        ("partial_flag", c_int),
    )


class Name(ctypes.Structure):
    """The C struct darshan_name_record of Darshan 3.5: a record id and the pointer to its name."""

    _fields_ = (("id", c_uint64), ("name", c_void_p))


class Lustre(ctypes.Structure):
    """The C struct darshan_lustre_record of Darshan 3.5, with pointers to its components and to its
    storage targets."""

    _fields_ = (
        *(("id", c_uint64), ("rank", c_int64), ("num_comps", c_int64), ("num_stripes", c_int64)),
        *(("comps", c_void_p), ("ost_ids", c_void_p)),
    )


class Heatmap(ctypes.Structure):
    """The C struct darshan_heatmap_record of Darshan 3.5, with pointers to its bins, which have
    bytes per interval."""

    _fields_ = (
        *(("id", c_uint64), ("rank", c_int64), ("width", c_double), ("nbins", c_int64)),
        *(("write_bins", c_void_p), ("read_bins", c_void_p)),
    )


class Dxt(ctypes.Structure):
    """The C struct dxt_file_record of Darshan 3.5: the head of a file's trace, before its
    segments."""

    _fields_ = (
        *(("id", c_uint64), ("rank", c_int64), ("shared", c_int64), ("hostname", c_char * 64)),
        *(("write_count", c_int64), ("read_count", c_int64)),
    )


class Category(ctypes.Structure):
    """The C struct darshan_file_category_counters of Darshan 3.5: counts and bytes of one category
    of files."""

    _fields_ = tuple(
        (name, c_int64)
        for name in (
            *("count", "read", "written", "most_read", "most_written"),
            *("sum_of_offsets", "max_offset", "nprocs"),
        )
    )


class Metrics(ctypes.Structure):
    """The C struct darshan_derived_metrics of Darshan 3.5: what an accumulator computes from
    records."""

    _fields_ = (
        *(("total_bytes", c_int64), ("unique_time", c_double), ("unique_rw", c_double)),
        *(("unique_md", c_double), ("slowest_rank", c_int), ("shared_time", c_double)),
        *(("perf", c_double), ("time", c_double), ("categories", Category * 7)),
    )


def plain(struct: ctypes.Structure) -> list[Any]:
    """Returns the numbers of a struct in order; an array in it becomes a list of its elements'
    lists."""
    out: list[Any] = []
    for field in struct._fields_:
        value = getattr(struct, field[0])
        out.extend([plain(part) for part in value] if isinstance(value, ctypes.Array) else [value])
    return out


class Library:
    """The functions of a library, with their C types."""

    def __init__(self, path: str) -> None:
        self.lib = ctypes.CDLL(path)
        self.lib.darshan_log_open.restype = c_void_p
        self.lib.darshan_log_open.argtypes = [c_char_p]
        for name in ("get_job", "get_exe", "get_mounts", "get_modules", "get_name_records"):
            function = getattr(self.lib, f"darshan_log_{name}")
            function.argtypes = [
                c_void_p,
                *[c_void_p] * (1 if name in ("get_job", "get_exe") else 2),
            ]
        self.lib.darshan_log_get_job_runtime.argtypes = [c_void_p, Job, POINTER(c_double)]
        self.lib.darshan_log_get_record.argtypes = [c_void_p, c_int, POINTER(c_void_p)]
        self.lib.darshan_log_close.argtypes = [c_void_p]
        self.lib.darshan_free.argtypes = [c_void_p]
        self.lib.darshan_accumulator_create.argtypes = [c_int, c_int64, POINTER(c_void_p)]
        self.lib.darshan_accumulator_inject.argtypes = [c_void_p, c_void_p, c_int]
        self.lib.darshan_accumulator_emit.argtypes = [c_void_p, POINTER(Metrics), c_void_p]
        self.lib.darshan_accumulator_destroy.argtypes = [c_void_p]

    def open(self, path: Path) -> c_void_p:
        """Opens a log. Returns its handle, whose value is None if it cannot be opened."""
        return c_void_p(self.lib.darshan_log_open(os.fsencode(path)))

    def list_of(self, function: str, log: c_void_p, kind: type[Any]) -> list[Any]:
        """Returns a copy of the list that a function stores by a pointer and a count. function: its
        name without "darshan_log_". kind: the ctypes type of the elements."""
        found, count = POINTER(kind)(), c_int(-1)
        getattr(self.lib, f"darshan_log_{function}")(log, byref(found), byref(count))
        return [kind.from_buffer_copy(found[i]) for i in range(count.value)]

    def names(self, log: c_void_p) -> dict[int, str]:
        """Returns the names of the log's records, by id."""
        out = {}
        for name in self.list_of("get_name_records", log, Name):
            out[name.id] = ctypes.string_at(name.name).decode("latin-1")
            self.lib.darshan_free(name.name)
        return out

    def records(self, log: c_void_p, module: int) -> tuple[list[bytes], int]:
        """Reads the records of a module to their end. Returns the bytes of each, with pointers
        replaced by the data they point to, and the result of the last call: 0 at the end, -1 on
        error."""
        out = []
        while True:
            record = c_void_p()
            result = self.lib.darshan_log_get_record(log, module, byref(record))
            if result != 1:
                return out, int(result)
            out.append(content(module, record.value or 0))
            self.lib.darshan_free(record)

    def begins_anew(self, log: c_void_p) -> bool:
        """Returns whether reading a module starts with its first record again after its last one.
        Checked for POSIX only; True for a log without it."""
        modules = [module.idx for module in self.list_of("get_modules", log, Module)]
        if modules[:1] != [1]:
            return True
        first = self.records(log, 1)
        return first[1] < 0 or (self.records(log, 1) == first and first[0] != [])

    def sums(self, module: int, nprocs: int, records: list[bytes]) -> tuple[list[Any], str]:
        """Adds records to an accumulator for a job of `nprocs` processes. Returns its metrics as
        numbers, and its total record as hexadecimal text. module: the module's id; records: the
        bytes of each record."""
        accumulator, metrics = c_void_p(), Metrics()
        assert self.lib.darshan_accumulator_create(module, nprocs, byref(accumulator)) == 0
        for record in records:
            assert self.lib.darshan_accumulator_inject(accumulator, record, 1) == 0
        total = ctypes.create_string_buffer(FIXED[module])
        assert self.lib.darshan_accumulator_emit(accumulator, byref(metrics), total) == 0
        assert self.lib.darshan_accumulator_destroy(accumulator) == 0
        return plain(metrics), total.raw.hex()

    def whole(self, path: Path) -> dict[str, Any] | None:
        """Returns all that the interface returns for a log, by names of its own that JSON can
        store; None if the log does not open."""
        log = self.open(path)
        if not log.value:
            return None
        job, seconds, exe = Job(), c_double(), ctypes.create_string_buffer(4096)
        out: dict[str, Any] = {"returned": [self.lib.darshan_log_get_job(log, byref(job))]}
        out["returned"].append(self.lib.darshan_log_get_job_runtime(log, job, byref(seconds)))
        out["returned"].append(self.lib.darshan_log_get_exe(log, exe))
        out["job"] = [*plain(job)[:-1], job.metadata.decode("latin-1"), seconds.value]
        out["exe"] = exe.value.decode("latin-1")
        mounts = self.list_of("get_mounts", log, Mount)
        out["mounts"] = [(m.type.decode("latin-1"), m.path.decode("latin-1")) for m in mounts]
        modules = self.list_of("get_modules", log, Module)
        out["modules"] = [(m.name.decode(), m.len, m.ver, m.idx, m.partial_flag) for m in modules]
        out["names"] = self.names(log)
        out["records"], out["sums"] = {}, {}
        for module in [m.idx for m in modules if m.idx in READ]:
            records, end = self.records(log, module)
            out["records"][module] = ([record.hex() for record in records], end)
            if module in SUMMED:
                out["sums"][module] = self.sums(module, job.nprocs, records)
        self.lib.darshan_log_close(log)
        return out

    def outcome(self, path: Path) -> tuple[int, int]:
        """Returns how many modules of a log can be read to their end, and how many cannot; (-1, -1)
        if the log cannot be opened."""
        log = self.open(path)
        if not log.value:
            return -1, -1
        self.names(log)
        self.list_of("get_mounts", log, Mount)
        assert self.begins_anew(log)
        ends = [
            self.records(log, module.idx)[1] for module in self.list_of("get_modules", log, Module)
            if module.idx in READ
        ]  # fmt: skip
        assert set(ends) <= {0, -1}, ends
        self.lib.darshan_log_close(log)
        return ends.count(0), ends.count(-1)


def content(module: int, at: int) -> bytes:
    """Returns the bytes of a module's record at address `at`, with pointers replaced by the data
    they point to."""
    if module in FIXED:
        return ctypes.string_at(at, FIXED[module])
    if module == LUSTRE:
        lustre = Lustre.from_address(at)
        return (
            ctypes.string_at(at, 32)
            + ctypes.string_at(lustre.comps, 72 * lustre.num_comps)
            + ctypes.string_at(lustre.ost_ids, 8 * lustre.num_stripes)
        )
    if module == HEATMAP:
        heat = Heatmap.from_address(at)
        bins = [
            ctypes.string_at(bins, 8 * heat.nbins) for bins in (heat.write_bins, heat.read_bins)
        ]
        return ctypes.string_at(at, 32) + b"".join(bins)
    if module == APMPI:
        is_head = c_int64.from_address(at + 16).value == APMPI_MAGIC
        return ctypes.string_at(at, APMPI_HEAD if is_head else APMPI_RECORD)
    dxt = Dxt.from_address(at)
    segments = dxt.write_count + dxt.read_count
    return ctypes.string_at(at, ctypes.sizeof(Dxt) + SEGMENT * segments)


def outcomes(library: Library, path: Path, kind: str) -> Iterator[tuple[int, int]]:
    """Yields the outcome of a log, and of each changed copy of it. kind: "cuts" or "flips"."""
    yield library.outcome(path)
    for _ in damaged(path, kind):
        yield library.outcome(path)


def main() -> None:
    """Reads the logs of the command line, and prints the results as JSON."""
    name, kind, *paths = sys.argv[1:]
    library = Library(name)
    if kind == "whole":
        for path in paths:
            print(json.dumps(library.whole(Path(path))), flush=True)
    elif kind == "ends":
        print(json.dumps([library.outcome(Path(path)) for path in paths]))
    else:
        counted = Counter(outcomes(library, Path(paths[0]), kind))
        print(json.dumps([[*outcome, times] for outcome, times in counted.items()]))


if __name__ == "__main__":
    main()
