"""For datasets of known size, LAYERS records distinguish bytes of raw data from metadata, and the
calls of HDF5's stdio driver are attributed to HDF5."""

from __future__ import annotations

import pytest

from .program import OPERATIONS, Outcome, Program, Row

RAW = 8 * 1000  # bytes of each dataset of storage.c
# The setting that makes the runtime query the storage of datasets.
SETTING = "DARSHAN_HDF5_STORAGE=1"


def row_of(outcome: Outcome, name: str) -> Row:
    """Returns the LAYERS record of the dataset with this name in a.h5."""
    (row,) = (row for key, row in outcome.layers.items() if key.endswith(f"a.h5:/{name}"))
    return row


@pytest.mark.parametrize("name", ["contiguous", "chunked", "late"])
def test_raw_bytes_are_those_of_the_storage(name: str, program: Program) -> None:
    """With the setting for raw bytes, the LAYERS record of a dataset has as many distinct raw bytes
    written as the dataset has, and at most as many raw bytes read as bytes read."""
    row = row_of(program.run("storage", "env", SETTING), name)
    assert row["DISTINCT_RAW_BYTES_WRITTEN"] == RAW
    assert 0 <= row["DISTINCT_RAW_BYTES_READ"] <= row["DISTINCT_BYTES_READ"]
    assert row["DISTINCT_BYTES_WRITTEN"] >= RAW
    written = sum(row[f"{o}_POSIX_BYTES_WRITTEN"] for o in OPERATIONS)
    assert written == row["DISTINCT_BYTES_WRITTEN"]


@pytest.mark.parametrize("name", ["contiguous", "chunked"])
def test_nobody_asked(name: str, program: Program) -> None:
    """Without the setting for raw bytes, the runtime does not query HDF5 for a dataset's storage,
    and the raw bytes in the record are -1 (unknown)."""
    row = row_of(program.run("storage"), name)
    assert (row["DISTINCT_RAW_BYTES_READ"], row["DISTINCT_RAW_BYTES_WRITTEN"]) == (-1, -1)


def test_chunk_caches(program: Program) -> None:
    """The LAYERS record of a dataset has the size, slots and preemption policy of the chunk cache
    in use: the dataset's own, otherwise that of its file."""
    outcome = program.run("caches")
    counters = ("CHUNK_CACHE_BYTES", "CHUNK_CACHE_SLOTS", "F_CHUNK_CACHE_PREEMPTION")
    common = {"CHUNK_BYTES": 100 * 8, "FILTERS": 2, "LAYOUT": 2}
    for name, cache in (("inherited", (3 << 20, 1009, 0.25)), ("own", (200000, 101, 1.0))):
        row = row_of(outcome, name)
        assert tuple(row[counter] for counter in counters) == cache, name
        assert {counter: row[counter] for counter in common} == common, name


def test_streams_add_up(program: Program) -> None:
    """All bytes that HDF5's stdio driver moves are in the LAYERS records of HDF5 calls, and are
    counted once."""
    outcome = program.run("streams")
    for what in ("BYTES_READ", "BYTES_WRITTEN"):
        below = sum(row[f"{o}_STDIO_{what}"] for row in outcome.layers.values() for o in OPERATIONS)
        assert below == sum(row[what] for row in outcome.modules["STDIO"].values())
    for name in ("contiguous", "chunked"):
        row = row_of(outcome, name)
        assert sum(row[f"{o}_STDIO_BYTES_WRITTEN"] for o in OPERATIONS) >= RAW
        for o in OPERATIONS:
            assert row[f"F_{o}_STDIO_TIME"] <= row[f"F_{o}_TIME"] + 1e-6 * max(1, row[f"{o}_CALLS"])
