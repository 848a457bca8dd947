"""Detects a run that would never end, because all its processes are stopped."""

from __future__ import annotations

from ...classes import dataclass

_PATIENCE = 5  # looks, one each second


class TooLongError(Exception):
    """A run was killed because it took longer than its limit, or would never end."""


def _children(process: int) -> list[int]:
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def _is_stopped(process: int) -> bool:
    """Returns whether a process is stopped (SIGSTOP); if it has children, whether all its
    descendants without children are. process: its id. Raises OSError."""
    children = _children(process)
    if children:
        return all(_is_stopped(child) for child in children)
    with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


@dataclass
class Stopped:
    """A check that the caller makes every second during a run. It raises TooLongError if the run
    has stopped itself by a signal, because it would never end."""

    leader: int  # process id of the run's first process
    seen: int = 0  # number of checks in a row that found it stopped

    def __call__(self) -> None:
        """Raises TooLongError if the run has been stopped for some seconds."""
        try:
            self.seen = self.seen + 1 if _is_stopped(self.leader) else 0
        except (OSError, IndexError):
            self.seen = 0
        if self.seen >= _PATIENCE:
            raise TooLongError("stopped itself (SIGSTOP or SIGTSTP) and was killed")
