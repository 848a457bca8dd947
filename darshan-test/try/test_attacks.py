"""Remedies of `darshan try` do not change the behaviour of programs in any of the ways in which one
once did (attacks.py)."""

from __future__ import annotations

import pytest
from lab.compile import compile_c
from sample import turning

from .attacks import ATTACKS, CASES
from .conftest import Try
from .test_writing import left

# Values of DARSHAN_TRY, which turn remedies on with a size in bytes each.
SETTINGS = (
    "join-writes=1048576;read-ahead=1048576;stdio-buffer=1048576",
    "join-writes=1048576;read-ahead=1048576;flush-delay=1048576",
)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("case", turning(CASES, 0.5, "cases of the attack"))
def test_a_program_sees_nothing_of_a_remedy(trial: Try, case: str, setting: str) -> None:
    """A program has the same status, output and files with the remedies as without. case: of
    attacks.py."""
    (trial.user / "in.txt").write_text("".join(f"{n:07}\n" for n in range(9999)))
    program = compile_c(trial.user, ATTACKS)
    bare = left(trial, "", program, case)
    assert bare[0] != 9, bare
    assert left(trial, setting, program, case) == bare
