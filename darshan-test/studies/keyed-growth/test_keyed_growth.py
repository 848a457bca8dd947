"""Results of the small study of growing files that do not depend on time, also for files of more
than 4 GiB."""

from __future__ import annotations

from pathlib import Path

import pytest
from instrumented import Lab
from keyed_growth import (
    BATCHES,
    DEFAULT_CACHE,
    HOLE_END,
    RECORD,
    ROOM,
    SMALL,
    Growth,
    Study,
    heat_of,
    logged_traffic,
)
from place import needs

# Records of a batch.
RECORDS = 1000
# Bytes of a page of SQLite.
PAGE = 4096


@pytest.fixture(scope="module")
def lab(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Returns an object that runs programs with and without the runtime. Skips the tests if
    configure did not find SQLite."""
    needs("sqlite")
    return Lab(build, tmp_path_factory.mktemp("keyed"))


@pytest.fixture(scope="module", params=[0, HOLE_END], ids=["from the start", "beyond 4 GiB"])
def growth(lab: Lab, request: pytest.FixtureRequest) -> Growth:
    """Runs a process for each batch, each with a log. Fails if the runtime changes the file. The
    file begins empty, or with a hole of 4 GiB."""
    return Study(lab, RECORDS, hole=request.param).grow(1)


def test_log_counts_what_the_kernel_counts(growth: Growth) -> None:
    """Calls and bytes of every batch in the log equal those that the kernel counts, in files of any
    size."""
    assert len(growth.kernel) == len(growth.counters) == BATCHES
    for kernel, counters in zip(growth.kernel, growth.counters):
        assert logged_traffic(counters) == kernel


def test_offsets(growth: Growth) -> None:
    """The highest byte written is the last one of the file, also beyond 4 GiB."""
    start = growth.bare[0].size - RECORDS * RECORD * 2
    for batch, counters in zip(growth.bare, growth.counters):
        file = counters["keyed.db"]
        assert file["MAX_BYTE_WRITTEN"] == batch.size - 1
        assert max(start, 0) < file["MAX_BYTE_READ"] < batch.size or batch.number == 0
    assert growth.bare[-1].size - growth.bare[0].size > (BATCHES - 1) * RECORDS * RECORD


def test_pages_are_what_is_moved(growth: Growth) -> None:
    """Each write transfers a whole page, and so does nearly each read, except for those of the
    header that shows whether the file changed."""
    for batch, counters in zip(growth.bare[1:], growth.counters[1:]):
        file = counters["keyed.db"]
        assert file["BYTES_WRITTEN"] == PAGE * file["WRITES"], batch
        sizes = {file[f"ACCESS{i}_ACCESS"]: file[f"ACCESS{i}_COUNT"] for i in range(1, 5)}
        assert sizes[PAGE] >= file["WRITES"]
        assert sizes[PAGE] > 0.99 * (file["WRITES"] + file["READS"])


def test_small_cache(lab: Lab) -> None:
    """With a small cache, the log shows that pages are read and written again and again; with a
    large one it does not. The counts equal the kernel's."""
    problem, cure = (
        Study(lab, RECORDS, cache).grow(BATCHES) for cache in (DEFAULT_CACHE, ROOM[SMALL])
    )
    asked = BATCHES * RECORDS * RECORD
    bad, good = (logged_traffic(growth.counters[0]) for growth in (problem, cure))
    assert bad == problem.kernel[0]
    assert good == cure.kernel[0]
    assert bad.bytes_read > 10 * asked
    assert bad.bytes_written > 10 * asked
    assert good.bytes_read < PAGE * BATCHES
    # A transaction writes each index page once, in the journal and in the file.
    indexes = problem.bare[-1].size
    assert good.bytes_written < 2 * BATCHES * indexes
    assert bad.bytes_written > 2 * good.bytes_written
    # The heat map has every byte, within the time of the batches.
    for growth, moved in ((problem, bad), (cure, good)):
        heat = heat_of(lab, growth.logs[0])
        assert sum(heat.read) == moved.bytes_read
        assert sum(heat.written) == moved.bytes_written
        longest = growth.ours[-1].begun + growth.ours[-1].seconds - growth.ours[0].begun
        assert len(heat.read) == len(heat.written) <= longest / heat.width + 20
        assert heat.between(0, heat.width * len(heat.read)) == pytest.approx(
            (moved.bytes_read, moved.bytes_written)
        )
