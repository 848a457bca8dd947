"""Lets processes of this machine make the parts of a collection."""

from __future__ import annotations

import concurrent.futures
import ctypes
import itertools
import multiprocessing
import os
import signal
from collections.abc import Generator, Iterator

from ..read.files import Found
from ..worker import alone, collect_part
from ..write.part import Options, Part

_PDEATHSIG = 1  # PR_SET_PDEATHSIG


def _begin(collector: int) -> None:
    """Prepares a worker process. It ignores Ctrl-C, because the collector ends the workers. If the
    collector is killed, the kernel kills the worker. collector: its process id."""
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != collector:  # it was killed before the line above
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alone()


def _give_up(pool: concurrent.futures.ProcessPoolExecutor) -> None:
    """Ends the workers, and the pool's thread that writes to them. Before Python 3.12 that thread
    waits forever if all workers are dead, for example after a signal to the process group."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
    queue = getattr(pool, "_call_queue", None)
    if queue is not None:
        queue._reader.close()


def by_processes(
    batches: Iterator[list[Found]], options: Options, workers: int
) -> Generator[Part, None, None]:
    """Yields the parts of all batches as they complete, made by `workers` processes. options: for
    all parts. Ends these processes at once if this process fails or is interrupted."""
    # Not by fork: locks that Arrow's threads hold at the fork would never be released.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context, _begin, (os.getpid(),)) as pool:
        try:
            # Enough batches that no worker waits, and few enough that memory suffices.
            waiting = {pool.submit(collect_part, logs, options)
                       for logs in itertools.islice(batches, 2 * workers)}  # fmt: skip
            while waiting:
                done, waiting = concurrent.futures.wait(
                    waiting, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for one in done:
                    more = next(batches, None)
                    if more is not None:
                        waiting.add(pool.submit(collect_part, more, options))
                    yield one.result()
        except BaseException:
            _give_up(pool)
            raise


def alone_here(batches: Iterator[list[Found]], options: Options) -> Generator[Part, None, None]:
    """Yields the parts of all batches, made in this process, for few logs or a single worker. Arrow
    uses one core from then on."""
    alone()
    for logs in batches:
        yield collect_part(logs, options)
