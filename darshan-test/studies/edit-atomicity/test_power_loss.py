"""Simulates a loss of power after every call of h5edit: the synced data suffices to restore a valid
state of the file."""

from __future__ import annotations

import pytest
from edit_atomicity import Study
from killing import HIDDEN, Case
from power_loss import Disk

# Contents of a folder: a file's bytes by name.
Outcome = dict[str, bytes]


def outcomes(case: Case, level: str, *options: str) -> list[tuple[Outcome, bool]]:
    """Returns every possible content of the folder after a loss of power during an edit, each once,
    as bytes by file name, and whether the edit had ended. options: of h5edit."""
    case.reset()
    disk = Disk(
        case.path.parent.stat().st_ino, case.path.name, case.path.stat().st_ino, case.states[0]
    )
    command = Study(case.study.lab, options).command(level, case.path)
    trace = case.trace(command, case.study.lab.folder.parent / "trace")
    found: dict[tuple[tuple[str, bytes], ...], bool] = {}
    for i, fields in enumerate(trace):
        disk.feed(*fields)
        for outcome in disk.outcomes():
            found[tuple(sorted(outcome.items()))] = i + 1 == len(trace)
    return [(dict(outcome), done) for outcome, done in found.items()]


def recovered(case: Case, outcome: Outcome) -> int | None:
    """Puts these files into the folder and runs the recovery. Returns how many commands the file
    then contains; None if it is in no valid state."""
    for suffix in HIDDEN:
        case.hidden(suffix).unlink(missing_ok=True)
    for name, content in outcome.items():
        # Written in place, because the journal identifies its file by the inode.
        case.path.with_name(name).write_bytes(content)
    case.recover()
    return case.state()


@pytest.mark.parametrize("level", ["yes", "inc", "delta"])
def test_power_lost_after_every_call(case: Case, level: str) -> None:
    """After a loss of power at any call, recovery restores the state before the edit or the
    complete one, with `inc` the state after any command; the complete one if the edit had ended."""
    found = outcomes(case, level)
    assert len(found) > 10
    allowed = range(10) if level == "inc" else (0, 9)
    for outcome, done in found:
        state = recovered(case, outcome)
        assert state in allowed
        assert not done or state == 9
        assert not case.leftovers()


@pytest.mark.parametrize("level", ["yes", "inc", "delta"])
def test_without_syncing_power_matters(case: Case, level: str) -> None:
    """With --no-sync, recovery fails for some contents after a loss of power, which shows that the
    test above can fail."""
    found = outcomes(case, level, "--no-sync")
    assert any(recovered(case, outcome) is None for outcome, _ in found)
