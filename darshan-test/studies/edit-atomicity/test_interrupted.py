"""Kills h5edit at every call that changes files; recovery must restore a valid state of the
file."""

from __future__ import annotations

import subprocess

import pytest
from killing import Case

# Variables for interrupt.c: kill before the call, or after half of it.
HOW = ({}, {"INTERRUPT_HALF": "1"})


@pytest.mark.parametrize("how", HOW, ids=["before", "half"])
@pytest.mark.parametrize("level", ["yes", "inc", "delta"])
def test_killed_at_every_call(case: Case, level: str, how: dict[str, str]) -> None:
    """After a kill at any call, recovery restores the state before the edit or the complete one;
    with `inc`, the state after any command. how: before the call, or after half of a write."""
    command = case.study.command(level, case.path)
    allowed = range(10) if level == "inc" else (0, 9)
    before, at = 0, 1
    while True:
        case.reset()
        killed = case.interrupted(command, at, how)
        if not killed:
            break
        if level != "delta":
            backup = case.hidden(".bck")
            whole = backup.exists() and backup.read_bytes() in case.states
            assert case.state() is not None or whole
        case.recover()
        assert case.state() in allowed
        assert not case.leftovers()
        # A finished command is never undone after the backup was renewed.
        assert case.state() >= before
        before = case.state()
        at += 1
    assert case.state() == 9
    assert not case.leftovers()
    assert at > 8, "the kills have not met the calls"


def test_without_backup_a_kill_damages_the_file(case: Case) -> None:
    """At level `no`, some kills leave a file in no valid state, which also shows that these tests
    can fail."""
    damaged, at = 0, 1
    for how in HOW:
        at = 1
        while True:
            case.reset()
            if not case.interrupted(case.study.command("no", case.path), at, how):
                break
            case.recover()
            damaged += case.state() is None
            at += 1
    assert damaged > 0


@pytest.mark.parametrize("level", ["yes", "inc", "delta"])
def test_recovery_killed_at_every_call(case: Case, level: str) -> None:
    """After a kill of the edit, the recovery may itself be killed at any of its calls, repeatedly;
    the next one restores a valid state."""
    command = case.study.command(level, case.path)
    met, at = 0, 1
    while True:
        case.reset()
        if not case.interrupted(command, at, HOW[1]):
            break
        again = 1
        while case.interrupted(case.recover_command(), again, HOW[1]):
            met += 1
            again += 1
        assert case.state() in (range(10) if level == "inc" else (0, 9))
        assert not case.leftovers()
        at += 3  # every third call, because a kill at every call of the recovery follows each
    assert met > at // 6


def test_next_edit_recovers_by_itself(case: Case) -> None:
    """An edit after a killed one first restores the file, and then executes all commands."""
    for level in ("yes", "delta"):
        command = case.study.command(level, case.path)
        case.reset()
        assert case.interrupted(command, 7, {})
        assert case.leftovers()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "restored after an edit that did not end" in done.stderr
        assert case.state() == 9
        assert not case.leftovers()


def test_journal_of_another_file_is_refused(case: Case) -> None:
    """h5edit does not apply a journal to a file that has replaced the one for which it was written;
    it prints why and changes nothing."""
    case.reset()
    at = 1
    while case.hidden(".undo").exists() is False or case.hidden(".undo").stat().st_size < 4096:
        case.reset()
        assert case.interrupted(case.study.command("delta", case.path), at, {})
        at += 1
    other = case.path.with_name("other")
    other.write_bytes(b"other")
    other.replace(case.path)
    done = subprocess.run(case.recover_command(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is of another file" in done.stderr
    assert case.path.read_bytes() == b"other"
