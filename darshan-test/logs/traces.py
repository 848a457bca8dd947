"""Computes what darshan-dxt-parser must print for the traces of a log."""

from __future__ import annotations

from .encode import module_id
from .model import Dxt, Log, Lustre, Module, Segment
from .rows import Names, kept_components

# Start, end (-1: end of the file) and stripe size in bytes, OSTs.
Component = tuple[int, int, int, list[int]]


def components(record: Lustre, version: int) -> list[Component]:
    """Returns the components in use of a Lustre record, each as (start, end, stripe size, OSTs), in
    bytes; an end of -1 is the end of the file. version: of the record."""
    out = []
    for index, osts in kept_components(record):
        c = record.components[index]
        start, end = (0, -1) if version == 1 else (c.start, c.end)
        out.append((start, end, c.size, osts))
    return out


def osts_of(segment: Segment, layout: list[Component]) -> list[int]:
    """Returns the OSTs (storage targets of Lustre) that a segment reads or writes, in the order of
    its offsets. layout: the components of the file, from `components`."""
    at, stop = segment.offset, segment.offset + segment.length
    out: list[int] = []
    for start, end, size, osts in layout:
        if not osts or at < start or (end != -1 and at >= end):
            continue
        local = at - start
        index = local // size % len(osts)
        while at < stop and (end == -1 or at < end):
            out.append(osts[index])
            index = (index + 1) % len(osts)
            local = (local // size + 1) * size
            at = start + local
            if len(out) >= len(osts):
                at = stop if end == -1 else end
                break
    return out


def segment_row(module: Module, place: str, s: Segment, layout: list[Component] | None) -> bytes:
    """Returns the row that darshan-dxt-parser prints for a segment. place: the row's text before
    the offset. layout: components of the file, None if it is not on Lustre."""
    offset = -1 if (module.name, module.version) == ("DXT_MPIIO", 1) else s.offset
    osts = "".join(f" [{ost}]" for ost in osts_of(s, layout)) + "  " if layout else ""
    thread = f" {s.thread:4d}" if has_threads(module) else " N/A"
    text = f"{place}{offset:16d}{s.length:16d}{s.start:12.4f}{s.end:12.4f}  {osts}{thread}"
    return text.encode()


def has_threads(module: Module) -> bool:
    """Returns whether traces of this version have thread ids."""
    return module.version >= (2 if module.name == "DXT_POSIX" else 3)


def lustre_by_id(log: Log) -> dict[int, list[Component]]:
    """Returns the components of each file on Lustre, by record id."""
    out: dict[int, list[Component]] = {}
    for module in log.modules:
        for record in module.records:
            if isinstance(record, Lustre) and record.id not in out:
                out[record.id] = components(record, module.version)
    return out


def head_lines(module: Module, record: Dxt, columns: list[bytes]) -> list[bytes]:
    """Returns the lines before a trace's segments. columns: file name, mount point, type."""
    threads = {s.thread for s in record.writes + record.reads}
    count = max(1, len(threads)) if has_threads(module) else 1
    name, mount, kind = columns
    return [
        f"# DXT, file_id: {record.id}, file_name: ".encode() + name,
        f"# DXT, rank: {record.rank}, hostname: ".encode() + record.host,
        f"# DXT, number of threads: {count}".encode(),
        f"# DXT, write_count: {len(record.writes)}, read_count: {len(record.reads)}".encode(),
        b"# DXT, mnt_pt: " + mount + b", fs_type: " + kind,
    ]


def component_lines(layout: list[Component]) -> list[bytes]:
    """Returns the lines about the striping of a file."""
    out = []
    for number, (start, end, size, osts) in enumerate(layout, 1):
        last = "EOF" if end == -1 else str(end)
        text = f"#\t[Component {number}] stripe_ext: {start} - {last}, stripe_size: {size}, "
        text += f"stripe_count: {len(osts)}, OSTs:" + "".join(f" {ost}" for ost in osts)
        out.append(text.encode())
    return out


def trace_lines(log: Log) -> list[bytes]:
    """Returns the lines that darshan-dxt-parser must print for all traces of a log, in order:
    heads, components and segments."""
    names, layouts = Names(log), lustre_by_id(log)
    out: list[bytes] = []
    for module in sorted(log.modules, key=module_id):
        if not module.name.startswith("DXT") or module.raw is not None:
            continue
        posix = module.name == "DXT_POSIX"
        label = "X_POSIX" if posix else "X_MPIIO"
        for record in module.records:
            assert isinstance(record, Dxt)
            layout = layouts.get(record.id) if posix else None
            out += head_lines(module, record, names.columns(module.name, record))
            out += component_lines(layout or [])
            for kind, segments in (("write", record.writes), ("read", record.reads)):
                for i, s in enumerate(segments):
                    place = f"{label:>8}{record.rank:8d}{kind:>7}{i:9d}"
                    out.append(segment_row(module, place, s, layout))
    return out


def relied_on(output: bytes) -> list[bytes]:
    """Returns the lines of darshan-dxt-parser's output that trace_lines also computes, on which
    programs rely."""
    starts = (b" X_", b"# DXT, ", b"#\t[Component")
    lines = [line for line in output.split(b"\n") if line.startswith(starts)]
    return [line for line in lines if not line.startswith(b"# DXT, Lustre")]
