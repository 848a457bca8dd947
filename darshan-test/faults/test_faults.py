"""If a system call of the runtime fails, the program runs as without this failure, and the log is
right or one line reports the loss. The test takes a sample of the faults, by the commit; ./dev
faults runs all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lab.command import finished
from sample import everything, seed

HERE = Path(__file__).parent
pytestmark = pytest.mark.needs("no-filter")  # under a filter the runtime makes probing calls
# A program of programs.def that is not an MPI job, which takes a second per run; ./dev faults
# runs these, too.
PROGRAM = re.compile(r'^PROGRAM\("([a-z-]+)", "[a-z-]+", "(?:daos)?"', re.MULTILINE)
# The names of these programs.
MODES = PROGRAM.findall((HERE / "programs.def").read_text())
# A commit's id.
HEX = re.compile("[0-9a-f]+")
# The program that takes longest.
SLOW = "growth"
# One fault in this many is tested: of the other programs, and of SLOW.
SHARE, SHARE_OF_SLOW = 40, 150


def faults(build: Path, modes: list[str], share: int) -> None:
    """Runs a sample of the faults of some programs, all of which must pass. share: one fault in
    this many."""
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
