"""How the processes of a run ended, failures first."""

from __future__ import annotations

import signal

import numpy as np

from ...classes import dataclass
from ...log import Log
from .processes import EXITED, KILLED, RUNNING, UNKNOWN, Processes
from .programs import Program

__all__ = ["KILLED", "Ending", "Failure", "endings", "failure", "still_running", "unknown"]


@dataclass(frozen=True)
class Ending:
    """The processes of one program that failed in the same way."""

    program: Program
    number: int
    how: int  # KILLED, EXITED or UNKNOWN
    status: int  # signal if `how` is KILLED, exit status if it is EXITED; 0: unknown

    @property
    def words(self) -> str:
        """The failure as text, "killed by SIGSEGV", "exit status 1"."""
        if self.how == KILLED:
            return f"killed by {_signal(self.status)}"
        if self.how == EXITED:
            return f"exit status {self.status}"
        return "failed, each in a way that is not known"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}" if number > 0 else "a signal"


def endings(processes: Processes) -> list[Ending]:
    """Returns the processes that failed, by program and kind of failure: those that a signal killed
    first, then the most frequent status. Processes that share a record are UNKNOWN, each in its own
    way."""
    ended, status = processes.ended, processes.status
    # The merger decides which processes failed, because a nonzero status may be a normal result, or
    # the parent may have handled it.
    single, failed = processes.counts == 1, processes.failed
    numbers: dict[tuple[Program, int, int], int] = {}
    for place in np.flatnonzero(failed > 0):
        how, code = (int(ended[place]), int(status[place])) if single[place] else (UNKNOWN, 0)
        how = how if how in (EXITED, KILLED) else UNKNOWN
        key = (processes.programs[place], how, code if how else 0)
        numbers[key] = numbers.get(key, 0) + int(failed[place])
    found = [Ending(program, n, how, code) for (program, how, code), n in numbers.items()]
    return sorted(found, key=lambda e: (e.how != KILLED, -e.number, e.program.name, e.status))


@dataclass(frozen=True)
class Failure:
    """How the program that the user started failed."""

    how: int  # as in Ending
    status: int

    @property
    def words(self) -> str:
        """The failure as text that follows the program's name."""
        if self.how == KILLED:
            return f"was killed by {_signal(self.status)}"
        if self.how == UNKNOWN:
            return "was probably killed"
        return f"failed with exit status {self.status}"


def failure(log: Log, processes: Processes | None) -> Failure | None:
    """Returns the failure of the root process, or of the MPI job without a process tree (processes:
    None); None if it ended without an error, or if its end is unknown. A log that was made from the
    journals of a process without its own log means that the process was killed."""
    metadata = dict(log.info.metadata)
    unseen = metadata.get("end", "").endswith("log merged from journals")
    if processes is None:
        said = metadata.get("exit_status", "")
        if log.info.nprocs <= 1 and said.isascii() and said.isdigit() and int(said) > 0:
            return Failure(EXITED, int(said))
        return Failure(UNKNOWN, 0) if unseen else None
    if processes.ranks[0] != 0 or processes.counts[0] != 1:
        return None
    how, status = int(processes.ended[0]), int(processes.status[0])
    if how == UNKNOWN and unseen:
        return Failure(UNKNOWN, 0)
    failed = (how == KILLED and status > 0) or (how == EXITED and status > 0)
    return Failure(how, status) if failed else None


def not_found(log: Log) -> tuple[str, ...]:
    """Returns the names (paths) that a failed program looked up last and did not find, at most
    four, the last one first; empty if the log has none."""
    known = dict(log.info.metadata)
    keys = ("not_found", "not_found_2", "not_found_3", "not_found_4")
    return tuple(known[key] for key in keys if key in known)


def not_found_by(log: Log) -> str:
    """Returns the program that looked up the missing files last, of which not_found() has the
    names; "" if it is the program that the user started."""
    return dict(log.info.metadata).get("not_found_by", "")


def still_running(processes: Processes) -> int:
    """Returns how many processes had not ended when the log was written."""
    return int(processes.counts[processes.ended == RUNNING].sum())


def unknown(processes: Processes) -> int:
    """Returns how many processes ended in a way that the log does not know."""
    some = (processes.ended == UNKNOWN) & (processes.counts == 1)
    return int(some.sum())
