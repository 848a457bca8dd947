"""Columns of numbers in a page: arrays in base64, which a browser reads ten times as fast as
digits.  assets/columns.js is the other side."""

from __future__ import annotations

import base64

import numpy as np

_WHOLE = (("u1", 1 << 8), ("u2", 1 << 16), ("u4", 1 << 32))


def whole(values: np.ndarray) -> str:
    """Whole numbers in as few bytes as hold them; what no small one holds, as f8."""
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    kind = next((k for k, bound in _WHOLE if least >= 0 and most < bound), "f8")
    return _packed(values, kind)


def real(values: np.ndarray, exact: bool = False) -> str:
    """Finite numbers, with seven digits or all."""
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return _packed(finite, "f8" if exact else "f4")


def _packed(values: np.ndarray, kind: str) -> str:
    raw = np.ascontiguousarray(values, np.dtype(f"<{kind}")).tobytes()
    return f"{kind}:{base64.b64encode(raw).decode('ascii')}"
