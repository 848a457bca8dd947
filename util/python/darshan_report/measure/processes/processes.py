"""The processes of a run of many programs, from the PROCESS records."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...log import Log
from ...records import Records
from .programs import Program, first_command, is_command, is_spawned, program_name, split
from .usage import usage_of

UNKNOWN, EXITED, KILLED, RUNNING = range(4)  # how a process ended
# Reasons why a process was not recorded, or not completely: PROCESS_UNSEEN.
SEEN, STATIC, OTHER_LIBC, RIGHTS, ENVIRONMENT, GO, SILENT = range(7)
WHY_UNSEEN = {
    STATIC: "linked statically",
    OTHER_LIBC: "made for another C library",
    RIGHTS: "runs with raised rights",
    ENVIRONMENT: "started without the runtime's environment",
    GO: "Go calls the kernel itself",
    SILENT: "left no records",
}
_NOT_SEEN = "(not seen)"  # earlier mergers' name of a process without records
_LONGEST = 1e9  # seconds; a later time is damage
_MOST = 1 << 40  # largest number of a rank's processes, bytes or calls; more is damage
_COMM = 15  # bytes of the kernel's name of a process
_NAMED = 3  # largest number of programs in a sentence
_ENOUGH = 0.9  # share of the work that the named programs must have done together
_TRACE = 0.01  # share of the work below which a program is taken to have done none
_LITTLE = 0.5  # share of the work below which no program is named


class Processes:
    """The processes of a run that is a process tree, or of an MPI job, from the PROCESS records.
    Each column is an array with one element per rank that has a record, in the order of ranks. A
    rank is a number of a process in the log; in a run of very many processes, several alike share
    one (counts)."""

    def __init__(self, log: Log, records: Records) -> None:
        """Reads the records, of which there must be at least one. Implausible values are
        replaced."""
        self._log = log
        self.ranks, first = np.unique(records.ranks, return_index=True)
        self._array = records.array[first]
        self.counts = self._whole("COUNT").clip(1)
        # If the end of the run is known, no process can have lived longer than the run.
        longest = log.info.run_time if 0 < log.info.run_time < _LONGEST else _LONGEST
        self.start = self._seconds("F_START_TIMESTAMP").clip(0, longest)
        end = self._seconds("F_END_TIMESTAMP").clip(0, longest)
        if longest < _LONGEST:
            end[self["ENDED"] == RUNNING] = longest
        self.end = np.maximum(self.start, end)
        self.read, self.written = self._whole("BYTES_READ"), self._whole("BYTES_WRITTEN")
        self.opens = self._whole("OPENS")
        self.read_time = self._seconds("F_READ_TIME")
        self.write_time = self._seconds("F_WRITE_TIME")
        self.meta_time = self._seconds("F_META_TIME")
        self.time = self.read_time + self.write_time + self.meta_time
        self.job_ranks = self._whole("JOB_RANKS")
        self.failed = np.minimum(self._whole("FAILED"), self.counts)
        self.ended, self.status = self["ENDED"], self["STATUS"]
        self.parents = self._parents()
        self.hosts, self.commands = self._named(log)
        name = log.name(int(self._array["id"][0])) or ""
        self.first = first_command(name, int(self["PROGRAMS"][0]))
        self.programs = self._programs()
        self.work = log.work() or 0.0  # seconds in which the processes of this log could work

    @functools.cached_property
    def faults(self) -> npt.NDArray[np.int64]:
        """The number of page faults of each rank; 0 for ranks without a USAGE record."""
        found = np.zeros(len(self.ranks), "i8")
        if (known := usage_of(self._log)) is not None:
            _, here, there = np.intersect1d(self.ranks, known.ranks, return_indices=True)
            found[here] = (known["MINOR_FAULTS"] + known["MAJOR_FAULTS"])[there]
        return found

    @functools.cached_property
    def moved(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The bytes that the processes of each rank read, and those that they wrote. For a process
        that was not recorded, these are the kernel's counts, which include pipes."""
        read, written = self.read.copy(), self.written.copy()
        if self.unseen.any() and (known := usage_of(self._log)) is not None:
            _, here, there = np.intersect1d(self.ranks, known.ranks, return_indices=True)
            silent = self.unseen[here] > 0
            for column, name in ((read, "CHARS_READ"), (written, "CHARS_WRITTEN")):
                more = known[name][there].clip(0, _MOST).astype("i8")
                column[here] = np.where(silent, np.maximum(column[here], more), column[here])
        return read, written

    @functools.cached_property
    def unseen(self) -> npt.NDArray[np.int64]:
        """For each rank, the reason why its I/O was not recorded (STATIC, OTHER_LIBC, ...; SILENT
        if unknown), or SEEN if it was recorded."""
        silent = np.array([command == _NOT_SEEN for command in self.commands])
        why = self["UNSEEN"].clip(SEEN, SILENT)
        return np.where(silent & (why == SEEN), SILENT, why)

    def alone(self, place: int) -> float:
        """Returns the seconds in which a process lived without a living child process. place: its
        index."""
        begin, end = float(self.start[place]), float(self.end[place])
        below = np.flatnonzero(self.parents == place)
        spent, until = 0.0, begin
        for child in below[np.argsort(self.start[below], kind="stable")]:
            spent += max(0.0, min(float(self.start[child]), end) - until)
            until = max(until, min(float(self.end[child]), end))
        return spent + max(0.0, end - until)

    def told_unseen(self) -> str:
        """Returns text on which programs could not be instrumented, and why, "a.out x 3 (linked
        statically)"; "" if there are none."""
        found: dict[tuple[str, int], int] = {}
        for place in np.flatnonzero(self.unseen):
            program = self.programs[place].name
            key = (program, int(self.unseen[place]))
            found[key] = found.get(key, 0) + int(self.counts[place])
        words = [
            f"{program} x {number:,} ({WHY_UNSEEN[why]})"
            if number > 1
            else f"{program} ({WHY_UNSEEN[why]})"
            for (program, why), number in found.items()
        ]
        if len(words) > _NAMED:
            words = [*words[:_NAMED], f"{len(words) - _NAMED:,} other programs"]
        return _listed(words)

    def __len__(self) -> int:
        return len(self.ranks)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a counter of each rank as it is in the PROCESS records, by its name without the
        prefix."""
        return self._array[f"PROCESS_{name}"]

    def _whole(self, name: str) -> npt.NDArray[np.int64]:
        return self[name].clip(0, _MOST)

    def _seconds(self, name: str) -> npt.NDArray[np.float64]:
        column: np.ndarray = np.nan_to_num(self[name], nan=0.0)
        return column.clip(0, _LONGEST)

    def _parents(self) -> npt.NDArray[np.int64]:
        """Returns the index of each process's parent; -1 for a process without one. A damaged log
        may have circles of parents, which are cut."""
        wanted = self["PARENT_RANK"]
        place = np.searchsorted(self.ranks, wanted).clip(0, len(self) - 1)
        parents = np.where((self.ranks[place] == wanted) & (wanted >= 0), place, -1)
        state = np.zeros(len(self), "i1")  # 1: on the current path, 2: known to end
        for start in range(len(self)):
            way, at = [], start
            while at >= 0 and state[at] == 0:
                state[at] = 1
                way.append(at)
                at = int(parents[at])
            if at >= 0 and state[at] == 1:
                parents[at] = -1
            state[way] = 2
        return parents

    def _named(self, log: Log) -> tuple[list[str], list[str]]:
        names = {int(i): log.name(int(i)) or "" for i in np.unique(self._array["id"])}
        more = self["PROGRAMS"] > self.counts
        pairs = [split(names[int(i)], 1 + int(m)) for i, m in zip(self._array["id"], more)]
        return [host for host, _ in pairs], [command for _, command in pairs]

    def _programs(self) -> list[Program]:
        """Returns the program of each process, in the order of the columns."""
        found: list[Program] = []
        launchers = self["LAUNCHER"] > 0
        for place, command in enumerate(self.commands):
            name, shell = program_name(command)
            parent = int(self.parents[place])
            worker = parent >= 0 and is_command(command) and command == self.commands[parent]
            if parent >= 0 and (is_spawned(command) or self._is_silent_copy(place)):
                name, shell, worker = *self._starter(parent), True
            found.append(
                Program(name, worker, shell, int(self.job_ranks[place]), bool(launchers[place]))
            )
        return found

    def _is_silent_copy(self, place: int) -> bool:
        """Returns whether a process is a forked copy of its parent that made no recorded call. The
        log has only the kernel's name of such a process, which is that of its parent's program. A
        newly started program would have opened files."""
        command = self.commands[place]
        above = self.commands[int(self.parents[place])]
        if " " in command or "/" in command or self.opens[place] or self.unseen[place]:
            return False
        name = os.path.basename(above.partition(" ")[0])
        return above != command and name[:_COMM] == command != ""

    def _starter(self, place: int) -> tuple[str, bool]:
        """Returns the name of the program to which a worker belongs, and whether it is a shell. It
        is the program of the nearest ancestor that is not a worker. place: index of the worker."""
        while self.parents[place] >= 0:
            command = self.commands[place]
            known = is_command(command) and not is_spawned(command)
            if known and not self._is_silent_copy(place):
                break
            place = int(self.parents[place])
        return program_name(self.commands[place])

    @property
    def number(self) -> int:
        """The number of processes, including those that share a rank."""
        return int(self.counts.sum())

    @functools.cached_property
    def lives(self) -> npt.NDArray[np.float64]:
        """The lifetimes of each rank's processes in seconds, summed. If several processes share a
        rank, the log lacks their lifetimes. They are then estimated from those of other processes
        of the program, or else from the first start and last end, and are at least as long as the
        time in I/O."""
        spans: npt.NDArray[np.float64] = self.end - self.start
        several = np.flatnonzero(self.counts > 1)
        if len(several):
            known: dict[Program, list[float]] = {}
            for place in np.flatnonzero(self.counts == 1):
                known.setdefault(self.programs[place], []).append(float(spans[place]))
            lives: npt.NDArray[np.float64] = spans.copy()
            for place in several:
                number, span = float(self.counts[place]), float(spans[place])
                like = known.get(self.programs[place])
                guess = span if like is None else number * sum(like) / len(like)
                if self.job_ranks[place]:  # its ranks live at the same time
                    guess = number * span
                lives[place] = max(min(guess, number * span), self.time[place])
            return lives
        return spans

    @property
    def own(self) -> npt.NDArray[np.bool_]:
        """A mask of the ranks whose I/O is in this log. The I/O of an MPI job's ranks is in the
        job's own log."""
        found: np.ndarray = self.job_ranks == 0
        return found

    @functools.cached_property
    def seconds(self) -> float:
        """The lifetimes in seconds of the processes whose I/O is in this log, summed."""
        return float(self.lives[self.own].sum())

    @functools.cached_property
    def at_once(self) -> float:
        """The mean number of processes that do I/O at the same time, at least 1. It is weighted by
        the seconds in I/O, which are assumed to be spread evenly over each lifetime. A second that
        each of eight workers loses at the same time costs the run one second, and so does a second
        that one process loses while others wait for it."""
        some = self.own & (self.time > 0) & (self.end > self.start)
        if not some.any():
            return 1.0
        start, end = self.start[some], self.end[some]
        part = self.time[some] / (end - start)
        times, order = _in_order(start, end)
        width = np.diff(times)
        busy = np.cumsum(np.concatenate((part, -part))[order])[:-1]
        square = np.cumsum(np.concatenate((part**2, -(part**2)))[order])[:-1]
        real = busy > part.max() * 1e-9  # else a rounding error
        wall = float((square[real] / busy[real] * width[real]).sum())
        return max(1.0, float(self.time[some].sum()) / wall) if wall > 0 else 1.0

    def places(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the indices of these ranks in the columns. Leaves out ranks without a record."""
        at = np.searchsorted(self.ranks, ranks).clip(0, len(self) - 1)
        found: np.ndarray = at[self.ranks[at] == ranks]
        return found

    def most_of(self, weights: npt.NDArray[np.float64]) -> tuple[str, ...]:
        """Returns the names of the smallest set of programs that have at least 90 % of the weight,
        the heaviest first; empty without weight. weights: one per rank, such as seconds."""
        parts: dict[str, float] = {}
        for place in np.flatnonzero(weights > 0):
            name = self.programs[place].name
            parts[name] = parts.get(name, 0.0) + float(weights[place])
        found: list[str] = []
        left = sum(parts.values()) * (1 - _ENOUGH)
        missing = sum(parts.values())
        for name in sorted(parts, key=lambda n: (-parts[n], n)):
            if missing <= left:
                break
            found.append(name)
            missing -= parts[name]
        return tuple(found)

    def told(self, weights: npt.NDArray[np.float64]) -> str:
        """Returns text with the programs of the processes that have a weight, the heaviest first:
        "train.py's 8 workers and cat x 200". If there are many programs, the text has only the
        number of the light ones; if no program is heavy, only the number of all. Programs with less
        than 1 % are left out. weights: one per rank, such as seconds; "" if all are 0."""
        numbers: dict[Program, int] = {}
        parts: dict[Program, float] = {}
        for place in np.flatnonzero(weights > 0):
            program = self.programs[place]
            numbers[program] = numbers.get(program, 0) + int(self.counts[place])
            parts[program] = parts.get(program, 0.0) + float(weights[place])
        named, done, whole = [], 0.0, sum(parts.values())
        # A program that used the same files for another purpose has almost no weight.
        order = sorted(
            (p for p in parts if parts[p] >= _TRACE * whole), key=lambda p: (-parts[p], p.name)
        )
        for program in order[:_NAMED]:
            if done >= _ENOUGH * whole:
                break
            named.append(program.times(numbers[program]))
            done += parts[program]
        if done < _LITTLE * whole:
            return f"{len(order):,} programs"
        left = order[len(named) :]
        if len(left) > 1:
            named.append(f"{len(left):,} other programs")
        else:
            named += (program.times(numbers[program]) for program in left)
        return _listed(named)


def _in_order(
    start: npt.NDArray[np.float64], end: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Returns all starts and ends as one sorted array, and for each its index in the array of
    starts followed by ends."""
    both = np.concatenate((start, end))
    order = np.argsort(both, kind="stable")
    return both[order], order


def _listed(words: Sequence[str]) -> str:
    """Returns "a", "a and b" or "a, b and c"."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def processes(log: Log) -> Processes | None:
    """Returns the processes of a run; None if the log has no record of them. Raises LogError if the
    records are damaged. Each call reads them again."""
    region = log.info.region("PROCESS")
    if region is None or region.length == 0:
        return None
    records = log.records("PROCESS")
    return Processes(log, records) if len(records) else None
