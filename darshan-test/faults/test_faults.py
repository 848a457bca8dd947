"""Lets system calls of the runtime fail, with a sample seeded by the commit (all: ./dev faults)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lab.command import finished
from sample import everything, seed

HERE = Path(__file__).parent
pytestmark = pytest.mark.needs("no-filter")  # under a filter the runtime makes probing calls
# Without MPI jobs, whose processes take a second each (./dev faults has them).
PROGRAM = re.compile(r'^PROGRAM\("([a-z-]+)", "[a-z-]+", "(?:daos)?"', re.MULTILINE)
MODES = PROGRAM.findall((HERE / "programs.def").read_text())
HEX = re.compile("[0-9a-f]+")
SLOW = "growth"
SHARE, SHARE_OF_SLOW = 40, 150


def faults(build: Path, modes: list[str], share: int) -> None:
    number = 0 if everything() else int(seed()[:7], 16) if HEX.fullmatch(seed()[:7]) else 0
    command = [HERE / "run", build, "-k", ",".join(modes), "-n", str(1 if everything() else share)]
    done = finished([*command, "-S", str(number)], timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) runs", done.stdout)[-1]) > len(modes)


@pytest.mark.needs("processor:x86_64")
@pytest.mark.parametrize("slow", [False, True])
def test_system_call_fails(build: Path, slow: bool) -> None:
    """If a system call of the runtime fails, the program's status and output stay the same. The
    logs have all records, or one line reports the loss. slow: the one slow program, or all
    others."""
    assert len(MODES) > 10
    assert SLOW in MODES
    modes = [mode for mode in MODES if (mode == SLOW) == slow]
    faults(build, modes, SHARE_OF_SLOW if slow else SHARE)
