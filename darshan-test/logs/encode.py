"""Encodes a log in memory as the bytes of a file, following doc/log-format.md."""

from __future__ import annotations

import bz2
import struct
import zlib

from . import apmpi
from .layouts import LAYOUTS, MODULE_IDS, Layout, slot
from .model import (
    BZIP2,
    NONE,
    Apmpi,
    ApmpiHead,
    Component,
    Counted,
    Dxt,
    Heatmap,
    Log,
    Lustre,
    Module,
    Record,
)  # fmt: skip

# The number by which readers recognize the byte order.
MAGIC = 6567223
# Versions with a smaller header.
OLD_FORMATS = ("3.00", "3.10", "3.20", "3.21")
# Bytes of a journal's job region.
JOURNAL_JOB_AREA = 4096
# Bytes of a journal's name region.
JOURNAL_NAME_AREA = 1 << 16
# Unused bytes at the end of each region of a journal.
JOURNAL_MODULE_SPARE = 4096


def counted(order: str, layout: Layout, record: Counted) -> bytes:
    """Returns the bytes of a record of counters, with the additional fields that its module's
    layout has. order: ">" or "<" for the byte order."""
    out = struct.pack(f"{order}Qq", record.id, record.rank) + bytes(layout.padding)
    if layout.file_id:
        out += struct.pack(f"{order}Q", record.file_id)
    for name in layout.counters:
        value = record.counters[name]
        out += struct.pack(f"{order}Q", value % (1 << 64))
    for name in layout.fcounters:
        out += struct.pack(f"{order}d", record.fcounters[name])
    if layout.tail == "servers":
        out += struct.pack(f"{order}{len(record.servers)}q", *record.servers)
    elif layout.tail:
        out += record.pool + record.container
    if layout.tail == "object":
        out += struct.pack(f"{order}QQ", *record.object_id)
    return out


def component(order: str, c: Component) -> bytes:
    """Returns the bytes of a Lustre component."""
    numbers = (c.size, c.count, c.pattern, c.flags, c.start, c.end, c.mirror)
    return struct.pack(f"{order}7q16s", *numbers, c.pool)


def lustre(order: str, version: int, record: Lustre) -> bytes:
    """Returns the bytes of a Lustre record."""
    out = struct.pack(f"{order}Qq", record.id, record.rank)
    if version == 1:
        only = record.components[0]
        out += struct.pack(f"{order}5q", *record.old, only.size, only.count)
    else:
        out += struct.pack(f"{order}qq", len(record.components), len(record.osts))
        out += b"".join(component(order, c) for c in record.components)
    return out + struct.pack(f"{order}{len(record.osts)}q", *record.osts)


def dxt(order: str, with_threads: bool, record: Dxt) -> bytes:
    """Returns the bytes of a trace."""
    out = struct.pack(f"{order}Qqq64s", record.id, record.rank, 0, record.host)
    out += struct.pack(f"{order}qq", len(record.writes), len(record.reads))
    for s in record.writes + record.reads:
        out += struct.pack(f"{order}qqdd", s.offset, s.length, s.start, s.end)
        if with_threads:
            out += struct.pack(f"{order}Q", s.thread)
    return out


def heatmap(order: str, record: Heatmap) -> bytes:
    """Returns the bytes of a heat map."""
    # The 16 undefined bytes are stale addresses in real logs, so they are not zero here.
    head = struct.pack(f"{order}Qqdq", record.id, record.rank, record.width, len(record.writes))
    bins = record.writes + record.reads
    return head + b"\x7f\xfe" * 8 + struct.pack(f"{order}{len(bins)}q", *bins)


def encode_record(order: str, module: Module, record: Record) -> bytes:
    """Returns the bytes of a record in the layout of its module's version. order: ">" or "<" for
    the byte order."""
    if isinstance(record, Lustre):
        return lustre(order, module.version, record)
    if isinstance(record, Dxt):
        threads = module.version >= (2 if module.name == "DXT_POSIX" else 3)
        return dxt(order, threads, record)
    if isinstance(record, Heatmap):
        return heatmap(order, record)
    if isinstance(record, (Apmpi, ApmpiHead)):
        return apmpi.encode(order, record)
    return counted(order, LAYOUTS[module.name][module.version], record)


def module_content(order: str, module: Module) -> bytes:
    """Returns the region of a module before compression. order: ">" or "<" for the byte order."""
    if module.raw is not None:
        return module.raw
    body = b"".join(encode_record(order, module, r) for r in module.records)
    return body + module.tail


def name_content(log: Log) -> bytes:
    """Returns the name region before compression: ids and names, in the form of the log's
    version."""
    entries = []
    for number, name in log.names or []:
        entries.append(struct.pack(f"{log.order}Q", number))
        if log.version == "3.00":
            entries.append(struct.pack(f"{log.order}I", len(name)) + name)
        else:
            entries.append(name + b"\0")
    return b"".join(entries)


def job_content(log: Log) -> bytes:
    """Returns the job region before compression: the job record, the command line and the mount
    points."""
    if log.version in OLD_FORMATS:
        numbers = (log.uid, log.start[0], log.end[0], log.nprocs, log.jobid)
    else:
        numbers = (log.uid, *log.start, *log.end, log.nprocs, log.jobid)
    out = struct.pack(f"{log.order}{len(numbers)}q1024s", *numbers, log.metadata)
    text = log.exe + b"".join(b"\n" + kind + b"\t" + path for path, kind in log.mounts)
    return out + text + b"\0"


def compress_one(method: int, data: bytes, level: int) -> bytes:
    """Returns the data compressed by a method of model.py."""
    if method == NONE:
        return data
    return bz2.compress(data) if method == BZIP2 else zlib.compress(data, level)


def compress(log: Log, data: bytes) -> bytes:
    """Returns a region compressed by the log's method, in log.streams streams, whose boundaries do
    not depend on the records."""
    step = max(1, -(-len(data) // log.streams))
    pieces = [data[i : i + step] for i in range(0, len(data), step)] or [b""]
    if log.empty_streams:
        pieces = [piece for each in pieces for piece in (b"", each)]
    # Level 0 makes stored blocks, which readers must accept too.
    levels = (0, 6) if log.level is None else (log.level,)
    return b"".join(
        compress_one(log.compression, p, levels[i % len(levels)]) for i, p in enumerate(pieces)
    )


def header(log: Log, names: tuple[int, int], regions: dict[int, tuple[int, int]]) -> bytes:
    """Returns the header, which is not compressed, in the layout of the log's version. names:
    offset and length of the name region; regions: the same for each module's region, by module
    id."""
    slots = 16 if log.version in OLD_FORMATS else 64
    where = [(0, 0)] * slots
    versions = [0] * slots
    partial = 0
    for module in log.modules:
        number = module_id(module)
        place = slot(log.version, number)
        where[place] = regions[number]
        versions[place] = module.version
        partial |= module.partial << place
    for number in log.idle:
        place = slot(log.version, number)
        where[place] = (regions[number][0], 0)
        versions[place] = 1
    stamp = log.stamp or log.version.encode()
    flat = [number for pair in where for number in pair]
    if slots == 16:
        head = struct.pack(f"{log.order}8sqB3xI", stamp, MAGIC, log.compression, partial)
    else:
        head = struct.pack(f"{log.order}8sqB7xQ", stamp, MAGIC, log.compression, partial)
    tables = struct.pack(f"{log.order}{len(flat)}Q{slots}I", *flat, *versions)
    return head + struct.pack(f"{log.order}QQ", *names) + tables


def header_size(log: Log) -> int:
    """Returns the bytes of a header in the log's version."""
    return 360 if log.version in OLD_FORMATS else 1328


def module_id(module: Module) -> int:
    """Returns the current id of a module."""
    return MODULE_IDS[module.name] if module.number is None else module.number


def annex(log: Log, offset: int) -> bytes:
    """Returns the bytes of the annex, with its trailer, that is stored at this offset of the
    file."""
    blocks = b""
    for module in log.annex:
        raw = module_content(log.order, module)
        stored = compress_one(log.compression, raw, 6)
        # A live block has spare space: more is stored than the records need.
        stored += bytes(JOURNAL_MODULE_SPARE if log.live else 0)
        fields = (module_id(module), module.version, log.compression, int(module.partial))
        blocks += struct.pack(f"{log.order}4I2Q", *fields, len(stored), len(raw)) + stored
    checksum = 0 if log.live else zlib.crc32(blocks)
    fields = (1, len(log.annex), offset, len(blocks), checksum, int(log.live))
    return blocks + struct.pack(f"{log.order}8sIIQQII", b"DshAnnex", *fields)


def encode(log: Log) -> bytes:
    """Returns the bytes of a log as a file."""
    out = bytearray(header_size(log))
    job = compress(log, job_content(log))
    out += job.ljust(JOURNAL_JOB_AREA, b"\0") if log.live else job
    names = (0, 0)
    if log.names is not None:
        packed = compress(log, name_content(log))
        names = (len(out), len(packed))
        out += packed.ljust(JOURNAL_NAME_AREA, b"\0") if log.live else packed
    regions: dict[int, tuple[int, int]] = {}
    for module in reversed(log.modules) if log.reverse else log.modules:
        content = module_content(log.order, module)
        # A region with only a partial flag has zero bytes.
        packed = compress(log, content) if content else b""
        regions[module_id(module)] = (len(out), len(packed))
        out += packed + b"\xa5" * log.gap
        out += bytes(JOURNAL_MODULE_SPARE if log.live else 0)
    for number in log.idle:
        regions[number] = (len(out), 0)
    out[: header_size(log)] = header(log, names, regions)
    if log.annex:
        out += annex(log, len(out))
    return bytes(out)
