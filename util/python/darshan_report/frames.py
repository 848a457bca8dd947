"""pandas frames over a log.  pandas is imported only when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .log import Log
from .variable import heat_maps, traces

if TYPE_CHECKING:
    import pandas as pd


def records(log: Log, module: str) -> pd.DataFrame:
    """A row per record: id, rank, name, then a column per counter.

    The columns are strided views of the library's block.
    """
    import pandas as pd  # noqa: PLC0415

    found = log.records(module)
    # Bytes-valued fields (uuids of the object stores) have no useful column type.
    columns = [n for n in found.array.dtype.names or () if found.array.dtype[n].kind != "V"]
    frame = pd.DataFrame({name: found[name] for name in columns}, copy=False)
    frame.insert(2, "name", [log.name(int(i)) for i in found.ids])
    return frame


def heat_map(log: Log) -> pd.DataFrame:
    """A row per heat map and bin: layer, rank, start (seconds), read, write (bytes)."""
    import pandas as pd  # noqa: PLC0415

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


def trace(log: Log, module: str) -> pd.DataFrame:
    """A row per traced transfer, in the order of the log, writes of a file first."""
    import pandas as pd  # noqa: PLC0415

    parts = []
    for record in traces(log, module):
        for operation, segments in (("write", record.writes), ("read", record.reads)):
            part = pd.DataFrame({n: segments[n] for n in segments.dtype.names or ()})
            part.insert(0, "id", np.uint64(record.id))
            part.insert(1, "rank", record.rank)
            part.insert(2, "hostname", record.hostname)
            part.insert(3, "operation", operation)
            parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
