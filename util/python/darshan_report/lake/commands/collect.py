"""darshan collect: logs become a lake."""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import numpy as np

from ...diagnose.limits import LimitError, read_limits
from ..commit import place
from ..commit.commits import Snapshot
from ..commit.compact import compact
from ..commit.place import LakeError
from ..commit.publish import Publisher
from ..commit.remove import remove
from ..commit.sweep import sweep
from ..read import files
from ..read.files import Found
from ..worker import collect_part
from ..write.arrow import schema_of, shape, without_pandas
from ..write.part import Options, Part
from .arguments import COLLECT as PROGRAM
from .progress import Progress
from .say import say, why

_PART_LOGS, _PART_BYTES = 2048, 128 << 20
_SMALLEST_PART = 64
_SETTLED = 60.0  # seconds: with --follow, a damaged file that is younger may still be copied
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """A signal came: what is begun is given up, what is committed stays."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@dataclass
class Sums:
    """What one run has done."""

    looked: int = 0
    logs: int = 0
    damaged: int = 0
    again: int = 0
    records: int = 0
    removed: int = 0
    left: int = 0


class Collector:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        hidden = bool(options.obfuscate)
        lake = os.path.abspath(options.into)
        said = place.make(lake, {"hidden": hidden})
        if bool(said.get("hidden")) != hidden:
            other = "hides names: --obfuscate is needed" if said.get("hidden") else "shows names"
            raise LakeError(f"{options.into} {other}")
        self._publisher = Publisher(lake)
        limits = dict(read_limits(options.thresholds)) if options.thresholds else {}
        self._part = Options(
            lake, options.traces, not options.no_findings, options.obfuscate, thresholds=limits
        )
        if options.follow:
            self._part = dataclasses.replace(self._part, settled=_SETTLED)
        self._sums = Sums()
        self._closed: list[OSError] = []  # folders that could not be read

    def run(self) -> int:
        """Collects once, or for ever."""
        while True:
            begun = self._sums.looked
            self._once()
            if not self._options.follow:
                return 1 if self._closed else 0
            if self._sums.looked > begun:
                self._tell()
                self._sums = Sums()
            time.sleep(self._options.every)

    def _once(self) -> None:
        names = self._options.logs
        for name in names:
            if not os.path.lexists(name):
                raise LakeError(f"{name}: No such file or directory")
        self._publisher.refresh()
        whole = sum(files.count(name) for name in names)
        self._progress = Progress(PROGRAM, whole)
        workers = int(self._options.workers)
        size = min(_PART_LOGS, max(_SMALLEST_PART, -(-whole // (4 * workers))))
        parts = self._parts(size)
        first = next(parts, None)
        if first is not None:
            everything = itertools.chain([first], parts)
            if workers == 1 or whole <= _SMALLEST_PART:
                for logs in everything:
                    self._take(collect_part(logs, self._part))
            else:
                self._by_workers(everything, workers)
        self._progress.clear()
        if self._options.compact:
            compact(self._part.lake, schema_of, shape)
            sweep(Snapshot(self._part.lake))
        if not self._options.follow:
            self._tell()

    def _parts(self, most: int) -> Iterator[list[Found]]:
        """The files that nobody has looked at yet, some at a time."""
        some: list[Found] = []
        size = 0
        self._closed = []
        found = files.listed(self._options.logs, self._closed)
        while batch := list(itertools.islice(found, 4096)):
            self._sums.looked += len(batch)
            keys = np.fromiter((f.key for f in batch), "u8", len(batch))
            known = self._publisher.seen.has_keys(keys)
            if self._options.remove_collected:
                known[:] = False  # who was killed before removing them shall have done it
            self._sums.again += int(known.sum())
            for one, has in zip(batch, known.tolist()):
                if has or one.changed < self._options.since:
                    continue
                some.append(one)
                size += one.size
                if len(some) >= most or size > _PART_BYTES:
                    yield some
                    some, size = [], 0
        if some:
            yield some

    def _by_workers(self, parts: Iterator[list[Found]], workers: int) -> None:
        # Not by fork: what Arrow's threads hold in the moment of it would be held for ever.
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(workers, context, _quiet) as pool:
            try:
                # So many at a time that nobody waits, and few are in memory.
                waiting = {pool.submit(collect_part, p, self._part)
                           for p in itertools.islice(parts, 2 * workers)}  # fmt: skip
                while waiting:
                    done, waiting = concurrent.futures.wait(
                        waiting, return_when=concurrent.futures.FIRST_COMPLETED
                    )
                    for one in done:
                        self._take(one.result())
                        more = next(parts, None)
                        if more is not None:
                            waiting.add(pool.submit(collect_part, more, self._part))
            except BaseException:
                for process in list((getattr(pool, "_processes", None) or {}).values()):
                    process.terminate()
                raise

    def _take(self, part: Part) -> None:
        """Commits a part."""
        twice = self._publisher.publish(part)
        sums = self._sums
        sums.logs += part.logs - twice
        sums.damaged += part.damaged
        sums.again += part.again + twice
        sums.records += part.records
        sums.left += part.left
        if self._options.remove_collected:
            sums.removed += remove(self._publisher.snapshot, part)
        self._progress.at(sums.logs + sums.again + sums.left, sums.logs)

    def _tell(self) -> None:
        sums, seconds = self._sums, self._progress.seconds
        more = [f"{sums.damaged:,} of them damaged (table problems)"] if sums.damaged else []
        more += [f"{sums.again:,} were there"] if sums.again else []
        more += [f"{sums.removed:,} removed"] if sums.removed else []
        more += [f"{sums.left:,} still changed: for the next time"] if sums.left else []
        rate = f"{sums.logs / seconds:,.0f} logs/s" if seconds > 0 else ""
        told = "; ".join(
            [f"{sums.logs:,} logs, {sums.records:,} records into {self._options.into}", *more]
        )
        say(PROGRAM, f"{told} ({seconds:.1f} s, {rate})")
        if self._closed:
            number = len(self._closed)
            others = f"; so could not {number - 1:,} others" if number > 1 else ""
            say(PROGRAM, f"{why(self._closed[0])}: the folder could not be read{others}")


def _quiet() -> None:
    """Workers end when the collector says so, not by the terminal's Ctrl-C as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(number: int, _frame: object) -> None:
    raise _Ended(number)


def main(options: argparse.Namespace) -> int:
    """Runs the command; its exit status."""
    without_pandas()
    for number in _ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        return Collector(options).run()
    except _Ended as ended:
        for number in _ENDINGS:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    except OSError as error:
        say(PROGRAM, f"{why(error)}: what is in {options.into} is whole")
    except (LakeError, LimitError) as error:
        say(PROGRAM, str(error))
    except MemoryError:
        say(
            PROGRAM, f"out of memory: what is in {options.into} is whole; fewer --workers need less"
        )
    except BrokenProcessPool:
        say(PROGRAM, f"a worker was killed: what is in {options.into} is whole; collect again")
    return 1
