"""The instructions that the runtime adds to calls of HDF5 stay below limits.

They are compared with the instructions of the call itself, so that the limits hardly depend on the
machine, and with the counts that hdf5-instructions.json has for this environment (compiler, C
library and processor). To store new counts for this environment:

    python3 darshan-test/bench/test_hdf5_instructions.py BUILD"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import pytest  # noqa: E402 - the lines above find what follows
from machine import Bench  # noqa: E402
from place import elsewhere  # noqa: E402
from test_instructions import ALLOWED, ROUNDING, where  # noqa: E402

# The stored counts.
KEPT = HERE / "hdf5-instructions.json"
# Two numbers of calls, whose counts are subtracted.
CALLS = (200, 800)
# Most instructions of the runtime as a fraction of those of the call itself. `create` was 0.9 when
# the runtime queried copies of the dataset's type, extent and properties, which are arguments of
# the call. The others were twice as large when each call queried the loader for two objects, took
# a lock for the lookup of an id, and a second lock for attribution. All except `attribute` and
# `attribute-read` are two calls.
MOST = {
    "create": 0.25,
    "attribute": 0.12,
    "attribute-read": 0.31,
    "attribute-open": 0.28,
    "group-create": 0.03,
    "group-open": 0.13,
}
# By kind: function of hdf5-cost.c in which instructions are counted.
FUNCTIONS = {
    "create": "create_close*",
    "attribute": "attribute_write*",
    "attribute-read": "attribute_read*",
    "attribute-open": "attribute_open*",
    "group-create": "group_create*",
    "group-open": "group_open*",
}
# Measurements of a call before it counts as too costly.
ATTEMPTS = 3
kinds = pytest.mark.parametrize("kind", MOST)


def per_call(bench: Bench, kind: str, settings: dict[str, str]) -> float:
    """Returns the instructions of one more call of a kind: the difference between runs with two
    numbers of calls, divided by the difference of the numbers. settings: the whole environment of
    the run."""
    totals = []
    for count in CALLS:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command += ["--toggle-collect=" + FUNCTIONS[kind]]  # without start and end, which vary
        command += [bench.program("hdf5-cost"), kind, str(count), str(bench.empty("work"))]
        done = subprocess.run(
            command, env=settings, capture_output=True, text=True, timeout=300, check=True
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / (CALLS[1] - CALLS[0])


@functools.cache
def measured(build: Path, kind: str, attempt: int = 0) -> tuple[float, float]:
    """Returns the instructions of one call: those of the HDF5 library, and those that the runtime
    adds. The working folder's name always has the same length, because the runtime processes names.
    attempt: results are cached, so another number measures again."""
    del attempt
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
    with tempfile.TemporaryDirectory(prefix="darshan-instructions-", dir="/tmp") as folder:
        bench = Bench(build, Path(folder), 1)
        bench.empty("logs"), bench.empty("journals")
        bare = per_call(bench, kind, {})
        return bare, per_call(bench, kind, bench.settings()) - bare


@pytest.mark.needs("program:valgrind")
@kinds
def test_share_of_a_call(build: Path, kind: str) -> None:
    """The instructions that the runtime adds to an HDF5 call are less than the share MOST of the
    call's own instructions."""
    bare, added = measured(build, kind)
    print(f"{kind}: {bare:.0f} instructions of the library, {added:.0f} of the runtime")
    assert 0 < added < MOST[kind] * bare


@pytest.mark.needs("program:valgrind")
@kinds
def test_calls_cost_what_they_did(build: Path, kind: str) -> None:
    """The runtime adds to no HDF5 call over 3 % more instructions than hdf5-instructions.json has
    for this environment. Skipped if it has none."""
    kept = json.loads(KEPT.read_text())
    place = where(build)
    if place not in kept:
        elsewhere(f"no counts of instructions are kept for {place}")
    assert set(kept[place]) == set(MOST)
    # The library's own instructions vary by a thousandth from run to run, and with the environment.
    most = kept[place][kind] * ALLOWED + ROUNDING
    found = [measured(build, kind, attempt) for attempt in range(ATTEMPTS)]
    assert any(added <= most + bare / 1000 for bare, added in found), (kept[place][kind], found)


def renew(build: Path) -> None:
    """Counts the instructions that the runtime adds to each kind of call, and stores them in
    hdf5-instructions.json as the row of this environment."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[where(build)] = {kind: round(measured(build, kind)[1]) for kind in MOST}
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    KEPT.write_text(text)
    print(text)


if __name__ == "__main__":
    renew(Path(sys.argv[1]).resolve())
