"""The time of GPUDirect Storage, which moves bytes between files and the memory of a GPU, without
the POSIX calls below."""

from __future__ import annotations

import numpy as np

from ...records import Records

_GDS = 76  # value of UPPER_MODULE


def _seconds(column: np.ndarray) -> float:
    return float(column[np.isfinite(column) & (column > 0)].sum())


def own_transfers(gds: Records | None, layers: Records | None) -> tuple[float, float]:
    """Returns the seconds in reads and in writes of GPUDirect Storage, including waits for batches,
    summed over processes. POSIX calls below are left out, because the POSIX records already have
    them. gds, layers: records of these modules; None if the log has none."""
    if gds is None:
        return 0.0, 0.0
    read, write = _seconds(gds["GDS_F_READ_TIME"]), _seconds(gds["GDS_F_WRITE_TIME"])
    below = 0.0
    if layers is not None:
        some = layers["LAYERS_UPPER_MODULE"] == _GDS
        for kind in ("READ", "WRITE", "META"):
            below += _seconds(layers[f"LAYERS_F_{kind}_POSIX_TIME"][some])
    whole = read + write
    own = max(0.0, whole - below) / whole if whole > 0 else 0.0
    return read * own, write * own
