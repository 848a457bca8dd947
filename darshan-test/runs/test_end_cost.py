"""The end of a run costs its root process few instructions if the runtime is preloaded by exported
variables. Instructions do not depend on the load of the machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from lab.environment import settings

# Most instructions that the runtime may add to /bin/true. A loop over all possible process ids
# would add 5.2 million.
ALLOWED = 2_000_000


def instructions(work: Path, settings: dict[str, str]) -> int:
    """Returns the number of instructions that /bin/true executes, counted by valgrind. settings:
    variables to add."""
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
    """At the end of a run of one process, the search for other living processes of the run examines
    only process ids that belong to it."""
    places = {name: tmp_path / name for name in ("logs", "journals")}
    for place in places.values():
        place.mkdir()
    watched = settings(build, places["logs"], places["journals"])
    added = instructions(tmp_path, watched) - instructions(tmp_path, {})
    assert list(places["logs"].iterdir()), "the program had no log"
    assert 0 < added < ALLOWED
