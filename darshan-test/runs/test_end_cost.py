"""The cost of the end of an exported run for its root process.

The unit is instructions, because they do not depend on the load of the machine.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from lab.environment import settings

# A loop over all possible process ids took 5.2 million.
ALLOWED = 2_000_000


def instructions(work: Path, settings: dict[str, str]) -> int:
    """Returns the instructions of a program that does nothing."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "/bin/true"],
        cwd=work,
        env={"PATH": "/usr/bin:/bin", **settings},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


@pytest.mark.needs("program:valgrind")
def test_only_process_ids_of_the_run_are_looked_at(build: Path, tmp_path: Path) -> None:
    """The search for other living processes is limited to those of the run."""
    places = {name: tmp_path / name for name in ("logs", "journals")}
    for place in places.values():
        place.mkdir()
    watched = settings(build, places["logs"], places["journals"])
    added = instructions(tmp_path, watched) - instructions(tmp_path, {})
    assert list(places["logs"].iterdir()), "the program had no log"
    assert 0 < added < ALLOWED
