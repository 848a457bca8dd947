"""Results of the small study of the chunk cache that do not depend on time."""

from __future__ import annotations

import pytest
from chunk_cache import OWN, PROBLEMS, Case, Measured, Size, Study
from instrumented import Lab

VALUE_BYTES = 4
PLANE = 128 * 256
# Slices of one chunk, and nothing else, are read.
SIZE = Size(steps=256, slices=5, series=0)


@pytest.fixture(scope="module")
def measured(lab: Lab) -> dict[Case, Measured]:
    """Measures each problem and its repaired version once. Returns the results by case. Fails if
    configure has found HDF5, but not netCDF."""
    if "\nhave_netcdf = yes\n" not in (lab.build / "Makefile").read_text():
        pytest.fail("configure has found HDF5, but not netCDF")
    study = Study(lab, SIZE)
    return {case: study.measure(case) for pair in PROBLEMS for case in pair}


def test_output_is_the_same(measured: dict[Case, Measured]) -> None:
    """All readers of the variable print the same sums, with and without the runtime."""
    reference = next(iter(measured.values())).bare
    sums = {name for name in reference if name.rpartition("_")[2].isdigit()}
    assert len(sums) == SIZE.slices + SIZE.series
    for case, result in measured.items():
        assert result.same, case
        assert {name: result.bare[name] for name in sums} == {
            name: reference[name] for name in sums
        }, case


@pytest.mark.parametrize(("problem", "cure"), PROBLEMS, ids=str)
def test_problem_reads_the_chunk_again(
    problem: Case, cure: Case, measured: dict[Case, Measured]
) -> None:
    """If the chunk cache is smaller than a chunk, every slice reads the whole compressed chunk, as
    POSIX_BYTES_READ shows; otherwise only the first slice does."""
    bad, good = measured[problem], measured[cure]
    chunk = bad.posix["ACCESS1_ACCESS"]
    plain_bytes = problem.chunk[0] * PLANE * VALUE_BYTES
    assert 0.2 * plain_bytes < chunk < plain_bytes  # compressed
    assert bad.posix["ACCESS1_COUNT"] == SIZE.slices
    assert bad.read - good.read == (SIZE.slices - 1) * chunk
    assert bad.read > 0.9 * SIZE.slices * good.read
    assert bad.posix["READS"] - good.posix["READS"] == SIZE.slices - 1
    # The metadata is less than a percent of a chunk.
    assert chunk <= good.read < 1.01 * chunk


@pytest.mark.parametrize(("problem", "cure"), PROBLEMS, ids=str)
def test_log_names_the_cause(problem: Case, cure: Case, measured: dict[Case, Measured]) -> None:
    """The LAYERS record of the dataset has the chunk's size, the cache's size, which is smaller
    only in the problem, and shows how often bytes were read again."""
    for case in (problem, cure):
        result = measured[case]
        layers = result.layers
        assert result.dataset["BYTES_READ"] == result.ours["asked"] == layers["BYTES_ASKED_READ"]
        assert result.dataset["READS"] == layers["READ_CALLS"] == SIZE.slices
        assert result.dataset["CHUNK_SIZE_D3"] == case.chunk[0]
        assert layers["CHUNK_BYTES"] == case.chunk[0] * PLANE * VALUE_BYTES
        assert layers["CHUNK_CACHE_BYTES"] == result.bare["cache"]
        assert layers["FILTERS"] == 1
        assert layers["DISTINCT_ERROR"] == 0
    bad, good = measured[problem].layers, measured[cure].layers
    chunk = measured[problem].posix["ACCESS1_ACCESS"]
    assert bad["CHUNK_BYTES"] > bad["CHUNK_CACHE_BYTES"]
    assert good["CHUNK_BYTES"] <= good["CHUNK_CACHE_BYTES"]
    # The first read includes the index of chunks.
    again = bad["READ_POSIX_BYTES_READ"] - good["READ_POSIX_BYTES_READ"]
    assert again == (SIZE.slices - 1) * chunk
    assert bad["DISTINCT_BYTES_READ"] == good["DISTINCT_BYTES_READ"]
    assert measured[problem].read_again > 0.9 * SIZE.slices
    assert measured[cure].read_again < 1.1


def test_netcdf_makes_room(measured: dict[Case, Measured]) -> None:
    """By default, netCDF uses a chunk cache that is large enough for a chunk; a cache that the
    program sets has the requested size."""
    for case, result in measured.items():
        if case.cache == OWN:
            chunk_bytes = case.chunk[0] * PLANE * VALUE_BYTES
            assert chunk_bytes <= result.bare["cache"] <= 64 << 20
        else:
            assert result.bare["cache"] == case.cache
