"""The command darshan collect: reads logs into a lake."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import signal
import time
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

import numpy as np

from ...classes import dataclass
from ...diagnose.limits import LimitError, read_limits
from ..commit import modes, storage
from ..commit.commits import Snapshot
from ..commit.compact import Compactor, compact
from ..commit.publish import Publisher
from ..commit.remove import remove
from ..commit.storage import LakeError
from ..commit.sweep import sweep
from ..delta.setting import Due
from ..read import files
from ..read.files import Found
from ..read.settled import Settled, is_quiet
from ..read.trial_files import TrialFiles
from ..site import trials
from ..spread.local_workers import alone_here, by_processes
from ..sums.make import complete, there
from ..write.arrow import schema_of, shape, without_pandas
from ..write.hide import Hide
from ..write.part import Options, Part
from .arguments import COLLECT as PROGRAM
from .arguments import DASK
from .messages import say, why
from .progress import Progress
from .shares import Shares
from .site_data import collect as collect_site_data

if TYPE_CHECKING:
    from ..spread.cluster import Cluster

_PART_LOGS, _PART_BYTES = 2048, 128 << 20
_SMALLEST_PART = 64
_MOST_UNREAD = 100_000  # files that are remembered as unreadable
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """A signal (its number) ended the command. The unfinished part is dropped; commits remain."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@dataclass
class Sums:
    """The counts of one collection, for the line that the command prints at the end."""

    logs: int = 0
    damaged: int = 0  # of these logs
    again: int = 0  # logs that the lake had already
    records: int = 0  # rows that were added
    removed: int = 0  # files that were removed after their rows were in the lake
    replaced: int = 0  # older contents of files
    left: int = 0  # files that still change
    unread: int = 0  # files that could not be read
    trials: int = 0  # results of `darshan try`
    foreign: int = 0  # such results of a user who does not own the log

    @property
    def tried(self) -> int:
        """The number of files that a round collected, removed, failed to read, or left for
        later."""
        return self.logs + self.removed + self.unread + self.left


class Collector:
    """One execution of `darshan collect`: finds logs, lets workers make parts (the rows of a batch
    of logs) from them, and commits the parts to the lake."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster | None) -> None:
        self._options = options
        self._cluster = cluster
        lake = os.path.abspath(options.into)
        self._make(lake)
        self._secret = Hide(options.obfuscate).for_paths
        self._settled = Settled(lake, self._secret)
        self._summed = there(lake)
        self._publisher = Publisher(lake)
        self._due = Due(lake)  # of Delta tables
        limits = dict(read_limits(options.thresholds)) if options.thresholds else {}
        self._part = Options(
            lake, traces=options.traces, programs=options.read_programs,
            findings=not options.no_findings, key=options.obfuscate, thresholds=limits,
            rate=int(options.process_rate * (1 << 30)), settled=options.settle,
            log_bytes=options.log_bytes, log_seconds=options.log_seconds,
        )  # fmt: skip
        self._sums = Sums()
        self._rewritten = 0  # files, since the last sweep
        self._closed: list[OSError] = []  # folders that could not be read
        self._trials = TrialFiles()
        self._unread: set[int] = set()  # keys of files that could not be read

    def _make(self, lake: str) -> None:
        """Creates the lake at this absolute path if it does not exist. Raises LakeError if its
        names are anonymized and this collection's are not, or the reverse, or with another key."""
        options = self._options
        hidden = bool(options.obfuscate)
        sign = Hide(options.obfuscate).sign
        new = {"hidden": hidden, "mode": modes.as_text(options.mode or modes.DEFAULT)}
        said = storage.make(lake, {**new, "key": sign, "ids": "keyed"} if hidden else new)
        if bool(said.get("hidden")) != hidden:
            other = "has anonymized names" if said.get("hidden") else "has plain names"
            use = "use" if said.get("hidden") else "do not use"
            raise LakeError(f"{options.into} {other}: {use} --obfuscate")
        if hidden and said.get("key", sign) != sign:
            raise LakeError(
                f"{options.into} has names anonymized with another key; use that key, because "
                "two keys would count one user twice"
            )
        if hidden and said.get("ids") != "keyed":
            say(PROGRAM, f"rows of {options.into} that an earlier release made have public record "
                "ids, against which a guessed file name can be tested; collect the logs into a "
                "new lake to anonymize these rows, too")  # fmt: skip

    def run(self) -> int:
        """Collects once; with --follow, until a signal. Returns the exit status: 0, or 1 if a
        folder could not be read. Raises LakeError if a named log or folder does not exist, or the
        lake is not usable."""
        while True:
            more = self._once()
            if not self._options.follow:
                return 1 if self._closed else 0
            if self._sums.logs or self._sums.left or self._sums.removed:
                self._tell()
            self._sums = Sums()
            if not more:
                time.sleep(self._options.every)

    def _once(self) -> bool:
        """Collects in rounds until no log waits because of its user's limit, or a round has read
        none; with --follow only one round. Returns whether logs wait that the next round can
        collect."""
        self._progress = Progress(PROGRAM, 0)
        more = True
        while more:
            before = self._sums.tried
            self._shares = Shares(self._options.user_bytes, self._options.user_seconds)
            self._round()
            done = self._sums.tried > before
            more = bool(self._shares.waiting) and done
            if self._options.follow:
                break
        self._progress.clear()
        if self._options.compact:
            compact(self._part.lake, schema_of, shape)
            complete(Snapshot(self._part.lake))
        self._publish_delta()
        if self._options.compact or self._rewritten:
            sweep(Snapshot(self._part.lake))
            self._rewritten = 0
        if not self._options.follow:
            self._tell()
        return more

    def _round(self) -> None:
        """Searches all logs once, and commits parts with those that the lake does not have, then
        the results of trials. Raises LakeError if a named file is missing."""
        names = self._options.logs
        for name in names:
            if not os.path.lexists(name):
                raise LakeError(f"cannot collect {name}: No such file or directory")
        self._publisher.refresh()
        # With --remove-collected, logs that the lake has are still to be removed.
        settled = None if self._options.remove_collected else self._settled
        self._settled.begin()
        whole = sum(files.count(name, settled) for name in names)
        self._settled.begin()
        self._progress.whole = whole
        workers = max(1, self._cluster.threads if self._cluster else int(self._options.workers))
        size = min(_PART_LOGS, max(_SMALLEST_PART, -(-whole // (4 * workers))))
        parts = self._parts(size, settled)
        first = next(parts, None)
        if first is not None:
            made = self._made(itertools.chain([first], parts), workers, whole)
            with contextlib.closing(made):  # any exit from the loop ends the workers
                for part in made:
                    self._take(part)
        self._sums.again += self._settled.logs
        self._settled.end()
        self._take_trials()

    def _take_trials(self) -> None:
        """Adds the results of darshan try that the search for logs found."""
        made = trials.collect(self._part.lake, self._trials.paths, Hide(self._options.obfuscate))
        self._sums.trials += made.rows
        self._sums.foreign = made.foreign
        if made.rows:
            self._publish_delta()

    def _made(
        self, batches: Iterator[list[Found]], workers: int, whole: int
    ) -> Generator[Part, None, None]:
        """Yields the parts as they are made: by the Dask cluster if there is one, else in this
        process if there is one worker or few files, else in several processes. whole: number of
        files."""
        if self._cluster is not None:
            return self._cluster.parts(batches, self._part)
        if workers == 1 or whole <= _SMALLEST_PART:
            return alone_here(batches, self._part)
        return by_processes(batches, self._part, workers)

    def _parts(self, most: int, settled: Settled | None) -> Iterator[list[Found]]:
        """Yields batches of the files that the lake does not know. most: files per batch. settled:
        folders to skip; None: none."""
        some: list[Found] = []
        size = 0
        self._closed = []
        self._trials = TrialFiles(self._options.since)
        found = files.listed(self._options.logs, self._closed, self._secret, settled, self._trials)
        while batch := list(itertools.islice(found, 4096)):
            keys = np.fromiter((f.key for f in batch), "u8", len(batch))
            known = self._known(batch, keys)
            if self._options.remove_collected:
                # a collector may have been killed between its commit and the removal of the logs
                known[:] = False
            self._sums.again += int(known.sum())
            for one, has in zip(batch, known.tolist()):
                if not (has and is_quiet(one.changed)):
                    self._settled.open(one.path)
                if has or one.changed < self._options.since or not self._takes(one):
                    continue
                some.append(one)
                size += one.size
                if len(some) >= most or size > _PART_BYTES:
                    yield some
                    some, size = [], 0
        if some:
            yield some

    def _takes(self, one: Found) -> bool:
        """Returns whether a file is read in this round. The size of a file that could not be read
        before is not counted against its owner's limit, because it would otherwise keep the owner's
        other logs out repeatedly."""
        return self._shares.takes(one, size=0 if one.key in self._unread else one.size)

    def _known(self, batch: list[Found], keys: np.ndarray) -> np.ndarray:
        """Returns a mask of the files that the lake knows, by their keys or by the keys of earlier
        releases."""
        known = self._publisher.seen.has_keys(keys)
        others = np.flatnonzero(~known)
        earlier = np.array([files.earlier_key(batch[place]) for place in others], "u8")
        known[others] = self._publisher.seen.has_keys(earlier)
        return known

    def _take(self, part: Part) -> None:
        """Commits a part, and removes its log files if the user requested it."""
        logs = len(part.took)
        self._shares.spent(part.spent)
        if len(self._unread) < _MOST_UNREAD:
            self._unread.update(found.key for found, _ in part.odd)
        self._publisher.publish(part)
        compactor = Compactor(self._publisher.snapshot, schema_of, shape)
        compactor.some()
        with contextlib.suppress(OSError):  # the next command makes the missing sums
            complete(self._publisher.snapshot, self._summed)
        self._rewritten += compactor.made.before
        self._publish_delta()
        sums = self._sums
        # If two collectors read the same logs, each counts only the logs that its own commits
        # added.
        sums.logs += len(part.took)
        sums.damaged += part.damaged
        sums.again += part.again + logs - len(part.took)
        sums.records += part.records
        sums.unread += part.unread
        sums.left += part.left
        sums.replaced += part.replaced
        if self._options.remove_collected:
            sums.removed += remove(self._publisher.snapshot, part)
        self._progress.at(sums.logs + sums.again + sums.left + sums.unread, sums.logs)

    def _publish_delta(self) -> None:
        """Publishes Delta tables if their interval has passed. Collecting continues if this fails,
        because they are derived from the commits."""
        try:
            self._due.publish()
        except (LakeError, OSError) as error:
            said = why(error) if isinstance(error, OSError) else str(error)
            say(PROGRAM, f"cannot publish Delta tables of {self._options.into}: {said}; the rows "
                "are in the lake; darshan lake publish tries again")  # fmt: skip

    def _tell(self) -> None:
        """Prints the line with the counts of the collection, and a line about folders that could
        not be read."""
        sums, seconds = self._sums, self._progress.seconds
        more = [f"{sums.damaged:,} of them damaged (table problems)"] if sums.damaged else []
        more += [f"{sums.unread:,} could not be read (table problems)"] if sums.unread else []
        more += [f"{sums.again:,} already collected"] if sums.again else []
        more += [f"{sums.replaced:,} replaced older contents"] if sums.replaced else []
        more += [f"{sums.removed:,} removed"] if sums.removed else []
        more += [f"{sums.left:,} skipped, because they still change"] if sums.left else []
        waiting = self._shares.waiting
        more += [f"{waiting:,} above their user's share"] if waiting else []
        more += [f"{sums.trials:,} trials"] if sums.trials else []
        if sums.foreign:
            more += [f"{sums.foreign:,} trials skipped, which are not of the log's owner"]
        if self._trials.above:
            more += [f"{self._trials.above:,} trials above their user's share"]
        rate = f"{sums.logs / seconds:,.0f} logs/s" if seconds > 0 else ""
        told = "; ".join(
            [f"{sums.logs:,} logs, {sums.records:,} records into {self._options.into}", *more]
        )
        say(PROGRAM, f"{told} ({seconds:.1f} s, {rate})")
        if self._closed:
            number = len(self._closed)
            others = f" (and {number - 1:,} more folders)" if number > 1 else ""
            say(PROGRAM, f"cannot read the folder {why(self._closed[0])}{others}")


def _cluster(stack: contextlib.ExitStack, workers: str) -> Cluster | None:
    """Connects to the Dask cluster that `workers` names; returns None if `workers` is a number.
    stack: closes the connection at its end. Raises LakeError if it cannot connect."""
    if not workers.startswith(DASK):
        return None
    from ..spread.cluster import Cluster  # noqa: PLC0415 - needs Dask

    cluster = stack.enter_context(Cluster(workers[len(DASK) :]))
    if other := cluster.other():
        say(PROGRAM, f"{cluster.name}: {other}; if workers fail, install the same versions")
    if not cluster.threads:
        say(PROGRAM, f"{cluster.name} has no workers yet; waiting")
    return cluster


def _mode(options: argparse.Namespace) -> int | None:
    """Returns the mode of the files that this command creates (None: the umask decides). Changes
    the mode of the lake if the user requested it."""
    lake = os.path.abspath(options.into)
    if not storage.is_lake(lake):
        return options.mode or modes.DEFAULT
    mode = modes.of_lake(lake)
    if options.mode is not None and options.mode != mode:
        modes.change(lake, options.mode)
        return int(options.mode)
    if mode is None and modes.is_open(lake):
        say(PROGRAM, f"all users of this machine can read {options.into}, which an earlier release "
            f"made; use --mode {modes.as_text(modes.DEFAULT)} to change this, or --mode 0644 to "
            "keep it")  # fmt: skip
    return mode


def _end(number: int, _frame: object) -> None:
    raise _Ended(number)


def main(options: argparse.Namespace) -> int:
    """Runs darshan collect and returns its exit status: 0, or 1 if some logs were not collected.
    SIGINT, SIGTERM and SIGHUP end the process after the last commit."""
    without_pandas()
    for number in _ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(modes.kept(_mode(options)))
            collector = Collector(options, _cluster(stack, options.workers))
            collect_site_data(os.path.abspath(options.into), options)
            return collector.run() if options.logs else 0
    except _Ended as ended:
        for number in _ENDINGS:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    except OSError as error:
        say(PROGRAM, f"cannot collect: {why(error)}; the lake {options.into} is intact")
    except (LakeError, LimitError) as error:
        say(PROGRAM, str(error))
    except MemoryError:
        say(PROGRAM, f"out of memory; the lake {options.into} is intact; use fewer --workers")
    except BrokenProcessPool:
        say(PROGRAM, f"a worker was killed; the lake {options.into} is intact; collect again")
    return 1
