"""Parts made on this machine, by processes of this command."""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import signal
from collections.abc import Generator, Iterator

from ..read.files import Found
from ..worker import alone, collect_part
from ..write.part import Options, Part


def _begin() -> None:
    """Workers end when the collector says so, not by the terminal's Ctrl-C as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alone()


def _give_up(pool: concurrent.futures.ProcessPoolExecutor) -> None:
    """Ends the workers, and who waits for them: before Python 3.12 the thread that writes to
    them waits for ever if all of them are dead, as after a signal to the whole group."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
    queue = getattr(pool, "_call_queue", None)
    if queue is not None:
        queue._reader.close()


def by_processes(
    batches: Iterator[list[Found]], options: Options, workers: int
) -> Generator[Part, None, None]:
    """The parts of all batches, as they are ready."""
    # Not by fork: what Arrow's threads hold in the moment of it would be held for ever.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context, _begin) as pool:
        try:
            # So many at a time that nobody waits, and few are in memory.
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
    """The same without another process: of few logs, and where one worker is wanted."""
    alone()
    for logs in batches:
        yield collect_part(logs, options)
