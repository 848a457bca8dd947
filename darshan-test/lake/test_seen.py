"""The index of the logs that a lake knows is mapped from its files, so that a worker needs little
memory even for billions of logs."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
from darshan_report.lake.commit import seen, storage

LOGS = 300_000


def test_a_look_up_maps(tmp_path: Path) -> None:
    """In an index of 300,000 logs, identities and keys are found; a look-up takes little memory,
    except that the keys are loaded at the first search for one."""
    (tmp_path / storage.SEEN).mkdir()
    rows = np.zeros(LOGS, seen.ROW)
    for name in ("high", "low", "key"):
        rows[name] = np.random.default_rng(len(name)).integers(0, 1 << 63, LOGS)
    name = seen.write(str(tmp_path), rows)
    known = seen.Seen(str(tmp_path))
    tracemalloc.start()
    try:
        known.update({name})
        assert known.has(rows["high"][:9], rows["low"][:9]).all()
        assert not known.has(rows["high"][:9], rows["low"][:9] + 1).any()
        assert tracemalloc.get_traced_memory()[1] < LOGS
        assert known.has_keys(rows["key"][:9]).all()
        assert not known.has_keys(rows["key"][:9] + 1).any()
    finally:
        tracemalloc.stop()
    more = rows[:1].copy()
    more["key"] = 5
    known.update({name, seen.write(str(tmp_path), more)})
    assert known.has_keys(np.array([5, int(rows["key"][0])], "u8")).all()
