"""Computes the rows of data and the preamble that darshan-parser must print for a log."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace

from . import apmpi
from .encode import (
    JOURNAL_JOB_AREA,
    OLD_FORMATS,
    compress,
    compress_one,
    job_content,
    module_content,
    module_id,
    name_content,
)
from .layouts import LAYOUTS, MODULE_IDS, MODULE_NAMES, NOT_YET
from .model import Apmpi, ApmpiHead, Counted, Dxt, Heatmap, Log, Lustre, Module, Record

# Counters that are printed as unsigned numbers.
UNSIGNED = {"POSIX_RENAMED_FROM"}
# Ends of counters' names: new and old.
RENAMED = {
    "F_OPEN_START_TIMESTAMP": "F_OPEN_TIMESTAMP",
    "F_CLOSE_END_TIMESTAMP": "F_CLOSE_TIMESTAMP",
}
PATTERNS = {0: "raid0", 2: "mdt", 4: "raid0,overstriped", 8: "foreign"}
FLAGS = "stale prefrd prefwr offline init nosync extension parity compress partial nocompr neg"


def renamed(module: str, values: dict[str, float]) -> dict[str, float]:
    """Returns the counters of a record, with the module's current prefix in place of the one that
    old versions of H5F and PNETCDF_FILE had."""
    if module not in ("H5F", "PNETCDF_FILE"):
        return dict(values)
    prefix = "H5F_" if module == "H5F" else "PNETCDF_FILE_"
    old = "HDF5_" if module == "H5F" else "PNETCDF_"
    return {prefix + name[len(old) :]: value for name, value in values.items()}


def with_files(counters: dict[str, int]) -> dict[str, int]:
    """Returns the counters of a GROUP record as readers show them. If several processes have a
    record of the group, GROUP_FILES is the number of distinct files that is estimated from the
    record's sketch."""
    least, most = counters["GROUP_FILES"], counters["GROUP_SEEN"]
    words = [value for name, value in counters.items() if "_SKETCH_" in name]
    bits = sum(bin(word & (1 << 64) - 1).count("1") for word in words)
    levels = [0.5 ** min(level + 1, 20) / 96 for level in range(21)]
    if not 0 <= least < most:
        return counters
    for files in range(least, most + 1):
        if sum(96 * (1 - (1 - p) ** files) for p in levels) + 0.5 >= bits:
            return counters | {"GROUP_FILES": files}
    return counters | {"GROUP_FILES": most}


def newest(module: str, version: int, record: Counted) -> Counted:
    """Returns the record converted to the newest version of its module: counters that the old
    version lacks have the value that readers show for them. version: of the record."""
    latest = LAYOUTS[module][max(LAYOUTS[module])]
    if module == "GROUP":
        return replace(record, counters=with_files(record.counters))
    if version == max(LAYOUTS[module]):
        return record
    counters = renamed(module, record.counters)
    fcounters = renamed(module, record.fcounters)
    for name in latest.fcounters:
        for new, old in RENAMED.items():
            if name.endswith(new) and name not in fcounters:
                source = name[: -len(new)] + old
                if source in fcounters:
                    fcounters[name] = fcounters[source]
    if module == "PNETCDF_FILE":
        both = counters["PNETCDF_FILE_INDEP_OPENS"] + counters["PNETCDF_FILE_COLL_OPENS"]
        counters["PNETCDF_FILE_OPENS"] = both
    counters = NOT_YET | counters
    return Counted(
        record.id,
        record.rank,
        {name: int(counters.get(name, -1)) for name in latest.counters},
        {name: fcounters.get(name, NOT_YET.get(name, -1.0)) for name in latest.fcounters},
    )


def readable(module: Module) -> list[Record]:
    """Returns the records of a module that a reader shows, in the newest version of the module."""
    out: list[Record] = []
    for record in module.records:
        # Version 1 also counted streams; readers skip such records, which were not POSIX files.
        if module.name == "POSIX" and module.version == 1:
            assert isinstance(record, Counted)
            if record.counters["POSIX_FOPENS"] > 0:
                continue
        counted = isinstance(record, Counted)
        out.append(newest(module.name, module.version, record) if counted else record)
    return repaired(out) if module.name == "HEATMAP" else out


def repaired(records: list[Record]) -> list[Record]:
    """Returns the heat map records with a common number of bins, if their numbers differ by one: as
    in readers, a missing last bin is added as 0, and an additional last bin is dropped."""
    out: list[Record] = []
    for record in records:
        assert isinstance(record, Heatmap)
        first = records[0]
        assert isinstance(first, Heatmap)
        writes, reads = list(record.writes), list(record.reads)
        if record.width == first.width and len(writes) == len(first.writes) + 1:
            writes, reads = writes[:-1], reads[:-1]
        elif record.width == first.width and len(writes) == len(first.writes) - 1:
            writes, reads = [*writes, 0], [*reads, 0]
        out.append(Heatmap(record.id, record.rank, record.width, writes, reads))
    return out


def kept_components(record: Lustre) -> list[tuple[int, list[int]]]:
    """Returns the components of a Lustre record that are in use, each as its index and the list of
    its OSTs."""
    out, at = [], 0
    for i, c in enumerate(record.components):
        if c.size == -1:
            break
        out.append((i, record.osts[at : at + c.count]))
        at += c.count
    return out


def lustre_values(record: Lustre, version: int) -> Iterator[tuple[str, str]]:
    """Yields the printed names and values of a Lustre record."""
    kept = kept_components(record)
    yield "LUSTRE_NUM_COMPONENTS", str(len(kept))
    yield "LUSTRE_NUM_STRIPES", str(sum(len(osts) for _, osts in kept))
    for number, (index, osts) in enumerate(kept, 1):
        c = record.components[index]
        pattern, flags, start, end, mirror, pool = (
            c.pattern,
            c.flags,
            c.start,
            c.end,
            c.mirror,
            c.pool,
        )
        if version == 1:
            pattern, flags, start, end, mirror, pool = -1, -1, 0, -1, -1, b""
        words = ",".join(w for bit, w in enumerate(FLAGS.split()) if flags >> bit & 1)
        prefix = f"LUSTRE_COMP{number}_"
        yield prefix + "STRIPE_SIZE", str(c.size)
        yield prefix + "STRIPE_COUNT", str(c.count)
        yield prefix + "STRIPE_PATTERN", PATTERNS.get(pattern, "N/A")
        yield prefix + "FLAGS", "N/A" if flags == -1 else words or "0"
        yield prefix + "EXT_START", str(start)
        yield prefix + "EXT_END", str(end)
        yield prefix + "MIRROR_ID", str(mirror)
        yield prefix + "POOL_NAME", pool.decode() or "N/A"
        for i, ost in enumerate(osts):
            yield prefix + f"OST_ID_{i}", str(ost)


def heatmap_values(record: Heatmap) -> Iterator[tuple[str, str]]:
    """Yields the printed names and values of a heat map."""
    yield "HEATMAP_F_BIN_WIDTH_SECONDS", f"{record.width:f}"
    for kind, bins in (("READ", record.reads), ("WRITE", record.writes)):
        for i, value in enumerate(bins):
            yield f"HEATMAP_{kind}_BIN_{i}", str(value)


def counted_values(module: str, record: Counted) -> Iterator[tuple[str, str]]:
    """Yields the printed names and values of a record of counters."""
    for name, value in record.counters.items():
        yield name, str(value % (1 << 64) if name in UNSIGNED else value)
    for name, real in record.fcounters.items():
        yield name, f"{real:f}"
    if module in ("H5D", "PNETCDF_VAR"):
        yield f"{module}_FILE_REC_ID", str(record.file_id)
    for i, value in enumerate(record.servers):
        yield f"MDHIM_SERVER_{i}", str(value)


def mount_table(log: Log) -> list[tuple[bytes, bytes]]:
    """Returns the path and type of each mount point, longest path first. Each line of the log's
    table is an entry, even if it is part of a path that contains a newline."""
    text = log.exe + b"".join(b"\n" + kind + b"\t" + path for path, kind in log.mounts)
    entries = []
    for at, byte in enumerate(text):
        if byte == 0x0A:
            kind, path = text[at + 1 :].split()[:2]
            entries.append((path, kind))
    return sorted(entries, key=lambda entry: -len(entry[0]))


# Bytes of names that would forge rows or control a terminal; they are escaped.
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")
_SHORT = {b"\t": rb"\t", b"\n": rb"\n"}


def shown(name: bytes) -> bytes:
    """Returns a name as the parser prints it: with control characters escaped."""
    return _CONTROL.sub(
        lambda found: _SHORT.get(found[0]) or b"".join(b"\\x%02x" % byte for byte in found[0]),
        name,
    )


class Names:
    """The names of a log's records, and the file system of each, for the last columns of the
    parser's rows."""

    def __init__(self, log: Log) -> None:
        self.mounts = mount_table(log)
        self.by_id: dict[int, bytes] = {}
        for number, name in log.names or []:
            if not self.by_id.get(number):
                self.by_id[number] = name

    def columns(self, module: str, record: Record) -> list[bytes]:
        """Returns the last three columns of a record's rows: file name, mount point, and type of
        the file system."""
        name = self.by_id.get(record.id)
        if module == "APMPI":
            return [b"", b"", b""]
        if module in ("DFS", "DAOS"):
            assert isinstance(record, Counted)
            ids = [str(uuid.UUID(bytes=raw)) for raw in (record.pool, record.container)]
            place = ":".join(ids)
            if module == "DFS" and bytes(16) in (record.pool, record.container):
                place = "UNKNOWN"
            if module == "DAOS":
                name = "{}.{}".format(*record.object_id).encode()
            return [b"(null)" if name is None else name, place.encode(), b"N/A"]
        if name is None:
            return [
                b"darshan-bgq-record" if module == "BG/Q" else b"(null)",
                b"UNKNOWN",
                b"UNKNOWN",
            ]
        for path, kind in self.mounts:
            if name and name.startswith(path):
                return [name, path, kind]
        return [name, b"UNKNOWN", b"UNKNOWN"]


def rows(log: Log) -> list[bytes]:
    """Returns all rows of data that the parser prints without options, with the modules in the
    order of their ids."""
    names = Names(log)
    out = []
    for module in sorted(log.modules, key=module_id) + log.annex:
        if module.raw is not None:
            continue
        for record in readable(module):
            if isinstance(record, Dxt):
                break
            if isinstance(record, Lustre):
                values = lustre_values(record, module.version)
            elif isinstance(record, Heatmap):
                values = heatmap_values(record)
            elif isinstance(record, (Apmpi, ApmpiHead)):
                sync = any(isinstance(r, ApmpiHead) and r.sync for r in module.records)
                values = apmpi.values(record, sync)
            else:
                values = counted_values(module.name, record)
            columns = names.columns(module.name, record)
            for name, value in values:
                first = f"{module.name}\t{record.rank}\t{record.id}\t{name}\t{value}"
                out.append(b"\t".join([first.encode(), *map(shown, columns)]))
    return out


def times(log: Log) -> list[bytes]:
    """Returns the lines of the parser's preamble about the job's user, id, times, number of
    processes and run time."""
    start, end = log.start, log.end
    run = (end[0] + end[1] / 1e9) - (start[0] + start[1] / 1e9)
    if log.version in OLD_FORMATS:
        run = end[0] - start[0] + 1
    lines = [
        f"# uid: {log.uid}",
        f"# jobid: {log.jobid}",
        f"# start_time: {start[0]}",
        f"# start_time_asci: {time.asctime(time.gmtime(start[0]))}",
        f"# end_time: {end[0]}",
        f"# end_time_asci: {time.asctime(time.gmtime(end[0]))}",
        f"# nprocs: {log.nprocs}",
        f"# run time: {run:.4f}",
    ]
    return [line.encode() for line in lines]


def regions(log: Log) -> list[bytes]:
    """Returns the lines of the parser's preamble about the sizes of the file's regions."""
    job = compress(log, job_content(log))
    job_length = JOURNAL_JOB_AREA if log.live else len(job)
    names = 0 if log.names is None else len(compress(log, name_content(log)))
    lines = [
        "# header: 1328 bytes (uncompressed)",
        f"# job data: {job_length} bytes (compressed)",
        f"# record table: {names} bytes (compressed)",
    ]
    for module in sorted(log.modules, key=module_id):
        content = module_content(log.order, module)
        size = len(compress(log, content)) if content else 0
        if size == 0 and not module.partial:
            continue
        number = module_id(module)
        known = number < len(MODULE_NAMES)
        title = f"{MODULE_NAMES[number]} module" if known else f"<UNKNOWN> module (id {number})"
        lines.append(f"# {title}: {size} bytes (compressed), ver={module.version}")
    for module in log.annex:
        # The size of a live block is that of its data, which is not compressed.
        size = len(compress_one(log.compression, module_content(log.order, module), 6))
        lines.append(f"# {module.name} module: {size} bytes (compressed), ver={module.version}")
    return [line.encode() for line in lines]


def preamble(log: Log) -> list[bytes]:
    """Returns the lines of the parser's preamble that programs rely on, in order."""
    stamp = (log.stamp or log.version.encode()).rstrip(b"\0")
    method = ("ZLIB", "BZIP2", "NONE")[log.compression].encode()
    text = log.exe + b"".join(b"\n" for _ in log.mounts)
    exe = text.split(b"\n")[0] if b"\n" in text else b""
    lines = [b"# darshan log version: " + stamp, b"# compression method: " + method]
    lines += [b"# exe: " + exe, *times(log)]
    for line in log.metadata.split(b"\0")[0].split(b"\n"):
        if b"=" in line:
            key, value = line.split(b"=", 1)
            lines.append(b"# metadata: " + key + b" = " + value)
    lines += regions(log)
    return lines + [b"# mount entry:\t" + path + b"\t" + kind for path, kind in mount_table(log)]


def data_modules(log: Log) -> list[str]:
    """Returns the names of the modules for which darshan-parser prints a title, in its order."""
    # A module whose memory was full at once has only a title and a warning.
    readable = [m for m in log.modules if m.partial or (m.raw is None and m.records)]
    shown = sorted(readable, key=module_id)
    return [m.name for m in shown if not m.name.startswith("DXT") and m.name in MODULE_IDS]
