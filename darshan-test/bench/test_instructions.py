"""An instrumented call needs at most 3 % more instructions than were stored.

The counts do not depend on the load of the machine, but on the compiler, the C library and the
processor's model (libc chooses its functions by model): each such environment has a row in
instructions.json. If a count is too high, make the call cheaper again, or renew the row and give
the reason in the commit:

    python3 darshan-test/bench/test_instructions.py BUILD"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import pytest  # noqa: E402 - the lines above find what follows
from call_costs import COUNTED, per_call  # noqa: E402
from machine import Bench, processor  # noqa: E402
from place import elsewhere  # noqa: E402

# The stored counts.
KEPT = HERE / "instructions.json"
ALLOWED = 1.03
# Instructions: shared costs of calls may count for either.
ROUNDING = 1


def where(build: Path) -> str:
    """Returns the name of the environment on which the counts depend: compiler and its options, C
    library, processor."""
    made = (build / "Makefile").read_text()
    compiler, flags = (re.search(rf"^{name} = (.*)$", made, re.M) for name in ("CC", "CFLAGS"))
    assert compiler and flags
    said = subprocess.run(
        [*compiler[1].split(), "-dumpfullversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    libc = " ".join(platform.libc_ver())
    return f"{compiler[1].split()[0]} {said} {flags[1]}, {libc}, {processor()}"


def measured(build: Path) -> dict[str, int]:
    """Returns the instructions of one instrumented call, including the call itself, by kind. The
    folder's name always has the same length, because the runtime processes names."""
    command = ["make", "-s", "-C", str(build), "bench-programs"]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=300, check=True)
    with tempfile.TemporaryDirectory(prefix="darshan-instructions-", dir="/tmp") as folder:
        bench = Bench(build, Path(folder), 1)
        bench.empty("logs"), bench.empty("journals")
        return {kind.name: round(per_call(bench, kind.name, bench.settings())) for kind in COUNTED}


def test_processors_of_one_name_differ(tmp_path: Path) -> None:
    """The environment's text has the processor's family and model numbers, if the kernel shows
    them."""
    cpuinfo = tmp_path / "cpuinfo"
    first = "cpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\n"
    cpuinfo.write_text(first + first.replace("17", "1"))
    assert processor(cpuinfo) == "AMD EPYC (family 25, model 17)"
    cpuinfo.write_text("processor\t: 0\nBogoMIPS\t: 50.00\n")
    assert processor(cpuinfo) == platform.machine()


@pytest.mark.needs("program:valgrind")
def test_calls_cost_what_they_did(build: Path) -> None:
    """No instrumented call of libc takes over 3 % more instructions than instructions.json has for
    this environment. Skipped if it has none."""
    kept = json.loads(KEPT.read_text())
    place = where(build)
    if place not in kept:
        elsewhere(f"no counts of instructions are kept for {place}")
    rows = kept[place]
    found = measured(build)
    assert set(found) == set(rows), "a kind of call came or went: renew the counts"
    more = {
        name: f"{rows[name]} -> {count}"
        for name, count in found.items()
        if count > rows[name] * ALLOWED + ROUNDING
    }
    assert not more, more


def renew(build: Path) -> None:
    """Counts the instructions of each kind of call, and stores them in instructions.json as the row
    of this environment."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[where(build)] = measured(build)
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    KEPT.write_text(text)
    print(text)


if __name__ == "__main__":
    renew(Path(sys.argv[1]).resolve())
