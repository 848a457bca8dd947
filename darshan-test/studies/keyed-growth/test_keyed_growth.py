"""Checks the results of the small study that do not depend on time, in files that stay small and in
files beyond 4 GiB."""

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
    """Returns an object that runs programs of the build with and without the runtime; skips the
    tests if SQLite is missing. It overrides the fixture that requires HDF5."""
    needs("sqlite")
    return Lab(build, tmp_path_factory.mktemp("keyed"))


@pytest.fixture(scope="module", params=[0, HOLE_END], ids=["from the start", "beyond 4 GiB"])
def growth(lab: Lab, request: pytest.FixtureRequest) -> Growth:
    """Adds the batches without and with the runtime, a process and a log for each batch. Returns
    the measurements. Fails if the runtime changes the file."""
    return Study(lab, RECORDS, hole=request.param).grow(1)


def test_log_counts_what_the_kernel_counts(growth: Growth) -> None:
    """The calls and bytes in each batch's log equal the kernel's counts of that process, also for
    offsets beyond 4 GiB."""
    assert len(growth.kernel) == len(growth.counters) == BATCHES
    for kernel, counters in zip(growth.kernel, growth.counters):
        assert logged_traffic(counters) == kernel


def test_offsets(growth: Growth) -> None:
    """POSIX_MAX_BYTE_WRITTEN is the offset of the file's last byte, also beyond 4 GiB."""
    start = growth.bare[0].size - RECORDS * RECORD * 2
    for batch, counters in zip(growth.bare, growth.counters):
        file = counters["keyed.db"]
        assert file["MAX_BYTE_WRITTEN"] == batch.size - 1
        assert max(start, 0) < file["MAX_BYTE_READ"] < batch.size or batch.number == 0
    assert growth.bare[-1].size - growth.bare[0].size > (BATCHES - 1) * RECORDS * RECORD


def test_pages_are_what_is_moved(growth: Growth) -> None:
    """Each write in the log is a whole page of SQLite, and so are over 99 % of all transfers; the
    others are reads of the header that shows whether the file changed."""
    for batch, counters in zip(growth.bare[1:], growth.counters[1:]):
        file = counters["keyed.db"]
        assert file["BYTES_WRITTEN"] == PAGE * file["WRITES"], batch
        sizes = {file[f"ACCESS{i}_ACCESS"]: file[f"ACCESS{i}_COUNT"] for i in range(1, 5)}
        assert sizes[PAGE] >= file["WRITES"]
        assert sizes[PAGE] > 0.99 * (file["WRITES"] + file["READS"])


def test_small_cache(lab: Lab) -> None:
    """With a small SQLite cache, the log shows that pages are read and written again for every
    record; with a large one, each page is written once."""
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
