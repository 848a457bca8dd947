"""Makes the pandas frames of a log. pandas is imported only when a frame is made."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from .log import Log
from .variable import DXT_SEGMENT, heat_maps, traces

TRACES = ("DXT_POSIX", "DXT_MPIIO")
_TRACED = ["id", "rank", "name", "hostname", "operation", *(DXT_SEGMENT.names or ())]

if TYPE_CHECKING:
    import pandas as pd


def _pandas() -> ModuleType:
    """Returns the module pandas. Raises ImportError, which says how to install it."""
    try:
        import pandas  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            f"frames need pandas, which {sys.executable} does not have (Debian: python3-pandas); "
            "log.records() and log.traces() do without"
        ) from error
    found: ModuleType = pandas
    return found


def frame(log: Log, module: str) -> pd.DataFrame:
    """Returns the pandas frame of a module: a row per record; of traces, a row per transfer; of
    HEATMAP, MPIWAIT and TRAINING_TIME, a row per time bin, with columns of their own. Raises
    ImportError without pandas."""
    if module == "HEATMAP":
        return heat_map(log)
    if module == "MPIWAIT":
        return waits(log)
    if module == "TRAINING_TIME":
        return training_time(log)
    return trace(log, module) if module in TRACES else records(log, module)


def records(log: Log, module: str) -> pd.DataFrame:
    """Returns a frame with a row per record: id, rank, name, then a column per counter.

    The columns are strided views of the library's memory, not copies. Raises ImportError without
    pandas."""
    pd = _pandas()
    found = log.records(module)
    # Bytes-valued fields (uuids of the object stores) have no useful column type.
    columns = [n for n in found.array.dtype.names or () if found.array.dtype[n].kind != "V"]
    frame = pd.DataFrame({name: found[name] for name in columns}, copy=False)
    frame.insert(2, "name", [log.name(int(i)) for i in found.ids])
    return frame


def heat_map(log: Log) -> pd.DataFrame:
    """Returns a frame with a row per heat map and time bin: layer, rank, start of the bin
    (seconds), read, write (bytes)."""
    pd = _pandas()
    parts = [
        pd.DataFrame(
            {
                "layer": (log.name(m.id) or "").rpartition(":")[2],
                "rank": m.rank,
                "start": np.arange(len(m.read)) * m.bin_width,
                "read": m.read,
                "write": m.write,
            }
        )
        for m in heat_maps(log)
    ]
    columns = ["layer", "rank", "start", "read", "write"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def waits(log: Log) -> pd.DataFrame:
    """Returns a frame with a row per rank and time bin: rank, start of the bin (seconds), and the
    seconds of waiting for other ranks in collective calls (`collective`) and in messages
    (`message`)."""
    pd = _pandas()
    parts = [
        pd.DataFrame(
            {
                "rank": w.rank,
                "start": np.arange(len(w.read)) * w.bin_width,
                "collective": w.write * 1e-9,
                "message": w.read * 1e-9,
            }
        )
        for w in heat_maps(log, "MPIWAIT")
    ]
    columns = ["rank", "start", "collective", "message"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def training_time(log: Log) -> pd.DataFrame:
    """Returns a frame with a row per process, kind of time and time bin: kind, rank, start of the
    bin (seconds), and the seconds of this kind (`whole`) and of a part of it (`part`). For a worker
    of a loader, the kind ends with a colon and the worker's number."""
    pd = _pandas()
    parts = [
        pd.DataFrame(
            {
                "kind": (log.name(t.id) or "").partition(":")[2],
                "rank": t.rank,
                "start": np.arange(len(t.read)) * t.bin_width,
                "whole": t.write * 1e-3,
                "part": t.read * 1e-3,
            }
        )
        for t in heat_maps(log, "TRAINING_TIME")
    ]
    columns = ["kind", "rank", "start", "whole", "part"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def trace(log: Log, module: str) -> pd.DataFrame:
    """Returns a frame with a row per traced transfer, in the order of the log; of each file and
    rank, writes come first. Columns: id, rank, name, hostname, operation ("read" or "write"),
    offset and length in bytes, start and end in seconds after the start of the run, thread."""
    pd = _pandas()
    parts = []
    for record in traces(log, module):
        for operation, segments in (("write", record.writes), ("read", record.reads)):
            part = pd.DataFrame({n: segments[n] for n in segments.dtype.names or ()})
            part.insert(0, "id", np.uint64(record.id))
            part.insert(1, "rank", record.rank)
            part.insert(2, "name", log.name(record.id))
            part.insert(3, "hostname", record.hostname)
            part.insert(4, "operation", operation)
            parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_TRACED)
