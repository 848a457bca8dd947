"""In the small study, the runtime changes no byte of the file, and the counters of the log show the
reason for the cost of flushing."""

from __future__ import annotations

from math import ceil

import pytest
from instrumented import Lab
from swmr_append import LAYOUTS, MODES, VALUE, Layout, Measured, Study

# Elements to append.
COUNT = 3000


def raw_writes(layout: Layout, mode: str) -> int:
    """Returns how often chunks must be written if each flush writes the changed chunks: the number
    of distinct chunks between two flushes, summed over the flushes. In every direction element n is
    in chunk n // edge."""
    options = MODES[mode]
    step = int(options[-1]) if "--flush" in options else COUNT
    return sum(
        (min(first + step, COUNT) - 1) // layout.chunk - first // layout.chunk + 1
        for first in range(0, COUNT, step)
    )


def chunk_bytes(layout: Layout) -> int:
    """Returns the bytes of a whole chunk; a flush writes all of them, however few elements are
    new."""
    return VALUE * layout.chunk ** (1 if layout.growth == "line" else 2)


@pytest.fixture(scope="module")
def measured(lab: Lab) -> dict[tuple[Layout, str], Measured]:
    """Measures every layout and mode once. Returns the results by layout and mode. Fails if the
    runtime changes the file."""
    return Study(lab, COUNT).table(rounds=1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_chunks_are_written_once_per_flush(
    measured: dict[tuple[Layout, str], Measured], layout: Layout, mode: str
) -> None:
    """The bytes written in the log are those of the whole chunks that changed before each flush,
    and a little metadata."""
    counters = measured[layout, mode].counters
    raw = raw_writes(layout, mode) * chunk_bytes(layout)
    assert raw <= counters["BYTES_WRITTEN"]
    metadata = counters["BYTES_WRITTEN"] - raw
    objects = ceil(COUNT / layout.chunk) + raw_writes(layout, mode)
    assert metadata <= 4096 + 512 * objects
    assert counters["WRITES"] >= raw_writes(layout, mode)


def test_flushing_finer_than_a_chunk_rewrites_it(
    measured: dict[tuple[Layout, str], Measured],
) -> None:
    """In the log of a writer that flushes ten times per chunk, the bytes written are over ten times
    those appended, by writes of a whole chunk; with a flush after ten chunks, less than twice."""
    large = LAYOUTS[1]
    problem, cure = (measured[large, mode].counters for mode in ("every 100", "every 10,000"))
    assert problem["BYTES_WRITTEN"] > 10 * VALUE * COUNT
    assert cure["BYTES_WRITTEN"] < 2 * VALUE * COUNT
    sizes = {problem[f"ACCESS{i}_ACCESS"]: problem[f"ACCESS{i}_COUNT"] for i in range(1, 5)}
    assert sizes[chunk_bytes(large)] == raw_writes(large, "every 100")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "no SWMR"])
def test_reader_beside_the_writer(lab: Lab, mode: str) -> None:
    """With writer and reader instrumented, the reader sees every element and never a wrong one, and
    its log has all bytes that it read."""
    found = Study(lab, COUNT).follow(mode, instrumented=True)
    assert found.refreshes > 0
    assert found.reader["BYTES_READ"] >= VALUE * COUNT
    assert found.reader.get("BYTES_WRITTEN", 0) == 0
