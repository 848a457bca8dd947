"""Instructions that the runtime adds to calls of HDF5, as a share of the call's own.

The share hardly depends on the machine: the library's own instructions are in both.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import pytest  # noqa: E402 - the lines above find what follows
from machine import Bench  # noqa: E402
from place import elsewhere  # noqa: E402

CALLS = (200, 800)
# To create and close a dataset.  It was 0.9 where the runtime asked the library for copies of
# the dataset's type, extent and properties, which are the arguments of the call.
MOST = {"create": 0.25}
FUNCTIONS = {"create": "create_close*"}  # of hdf5-cost.c


def per_call(bench: Bench, kind: str, settings: dict[str, str]) -> float:
    """Instructions of one more call: the difference of two numbers of calls."""
    totals = []
    for count in CALLS:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command += ["--toggle-collect=" + FUNCTIONS[kind]]  # neither start nor end, which vary
        command += [bench.program("hdf5-cost"), kind, str(count), str(bench.empty("work"))]
        done = subprocess.run(
            command, env=settings, capture_output=True, text=True, timeout=300, check=True
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / (CALLS[1] - CALLS[0])


@pytest.mark.needs("program:valgrind")
@pytest.mark.parametrize("kind", MOST)
def test_share_of_a_call(build: Path, tmp_path: Path, kind: str) -> None:
    """What the runtime adds stays a small share of what the library does."""
    target = "darshan-test/bench/hdf5-cost"
    made = subprocess.run(
        ["make", "-s", "-C", str(build), target],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if made.returncode:
        elsewhere(f"the benchmark of HDF5 cannot be built here: {made.stderr.strip()[-200:]}")
    bench = Bench(build, tmp_path, 1)
    bench.empty("logs"), bench.empty("journals")
    bare = per_call(bench, kind, {})
    added = per_call(bench, kind, bench.settings()) - bare
    print(f"{kind}: {bare:.0f} instructions of the library, {added:.0f} of the runtime")
    assert 0 < added < MOST[kind] * bare
