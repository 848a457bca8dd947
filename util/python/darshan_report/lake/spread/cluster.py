"""Lets the workers of a Dask cluster make parts: a map over batches of logs.

If a worker dies, Dask gives its batch to another worker. Only the collector commits, so a batch
that was made twice is in the lake once. Files of dead workers are below the run's folder in _work,
which is deleted after the run. A worker may see other files than the collector under the same
paths. Each part therefore names the files that differ, and the collector rejects the part if it
sees the expected files itself."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import queue
import shutil
import threading
import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

import dask.config
import distributed

from ...closing import Closing
from ..commit import storage
from ..commit.storage import LakeError
from ..read import files
from ..read.files import Found
from ..worker import Far, collect_far, fingerprint
from ..write.part import Options, Part

_SECONDS = 5  # in which a scheduler must reply
_LOOK = 5.0  # seconds between two checks of a silent cluster
_AHEAD = 3  # batches in progress per thread, so that no thread waits
_LEAST = 32  # batches in progress even without workers, so that an adaptive cluster sees work
_COMPARED = ("python", "distributed", "dask", "msgpack", "cloudpickle")


def _line(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    return text or type(error).__name__


def _asked(address: str) -> dict[str, Any]:
    """Returns the arguments of Dask's client that name a scheduler. address: HOST:PORT,
    PROTOCOL://HOST:PORT or the path of a scheduler file; if "", Dask's own settings count. Raises
    LakeError if neither names a scheduler."""
    if address.startswith("/"):
        if not os.path.isfile(address):
            raise LakeError(f"cannot find the file of the Dask scheduler, {address}")
        return {"scheduler_file": address}
    if address:
        return {"address": address if "://" in address else f"tcp://{address}"}
    for setting in ("address", "scheduler_file"):
        named = "scheduler-address" if setting == "address" else "scheduler-file"
        if found := dask.config.get(named, None):
            return {setting: found}
    raise LakeError(
        "dask://: Dask's settings name no scheduler; set "
        "DASK_SCHEDULER_ADDRESS, or use dask://HOST:PORT"
    )


class _Client(distributed.Client):
    """A Dask client without a finalizer: if it could not connect, the finalizer would block and
    print warnings. Its creator must close it."""

    def __del__(self) -> None:
        pass


def _client(asked: dict[str, Any], name: str) -> Any:
    """Returns a connected Dask client. asked: its arguments. name: of the cluster, for messages.
    Raises LakeError if the scheduler cannot be reached in time."""
    # The collector reports a lost connection itself, in one line.
    logging.disable(logging.CRITICAL)
    made: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def make() -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about versions: other() reports them
                made.put(_Client(**asked, timeout=_SECONDS, set_as_default=False))  # type: ignore[no-untyped-call]
        except Exception as error:
            made.put(error)

    # In a thread, because Dask waits forever for a process that listens and never replies.
    threading.Thread(target=make, daemon=True).start()
    try:
        found = made.get(timeout=2 * _SECONDS)
    except queue.Empty:
        found = TimeoutError("the server there does not answer")
    if isinstance(found, Exception):
        raise LakeError(f"cannot reach a Dask scheduler at {name}: {_line(found)}")
    return found


class _Call:
    """A call of collect_far() that is made when it is unpickled. It is unpickled inside a task, so
    if a worker lacks this package, the task fails, not the worker."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return collect_far, self._arguments


class Cluster(Closing):
    """A connection to a Dask cluster. Methods raise LakeError if the cluster fails."""

    def __init__(self, address: str) -> None:
        """Connects to a cluster. address: HOST:PORT, PROTOCOL://HOST:PORT or the path of a
        scheduler file; if "", Dask's own settings name the scheduler."""
        asked = _asked(address)
        self.name = f"dask://{address or next(iter(asked.values()))}"
        self._client = _client(asked, self.name)
        self._batches: dict[Any, list[Found]] = {}  # in progress, by their futures
        self._lost: list[Found] = []

    @property
    def threads(self) -> int:
        """The number of batches that the cluster can make at the same time."""
        with self._alive():
            return sum(self._client.nthreads().values())

    def other(self) -> str:
        """Returns text on which packages have other versions in the cluster than in this process;
        "" if all are equal. Compares only packages whose versions must agree."""
        with self._alive():
            found = self._client.get_versions()
        here = _versions(found["client"])
        there = [found["scheduler"], *found["workers"].values()]
        differ = {
            f"{name} {version} there, {here[name]} here"
            for one in there
            for name, version in _versions(one).items()
            if version != here[name]
        }
        return "; ".join(sorted(differ))

    def parts(
        self, batches: Iterator[list[Found]], options: Options
    ) -> Generator[Part, None, None]:
        """Yields the parts of all batches as they complete. options: for all parts. Raises
        LakeError if batches were lost with their workers, or if a worker cannot read its logs."""
        run = os.path.join(options.lake, storage.WORK, storage.new_name())
        os.mkdir(run)
        options = replace(options, run=os.path.basename(run))
        ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lost = []
        try:
            self._submit(itertools.islice(batches, self._room()), options, ready)
            while self._batches:
                try:
                    future = ready.get(timeout=_LOOK)
                except queue.Empty:
                    os.utime(run)  # so that a sweep does not remove the folder of this run
                    self._still_there()
                    continue
                logs = self._batches.pop(future)
                part = self._part(future, logs)
                self._submit(itertools.islice(batches, self._room()), options, ready)
                if part is not None:
                    yield part
            if self._lost:
                raise LakeError(_of_lost(self._lost))
        finally:
            self._give_up(run)

    def _room(self) -> int:
        return max(_LEAST, _AHEAD * self.threads) - len(self._batches)

    def _submit(self, batches: Iterator[list[Found]], options: Options, ready: Any) -> None:
        """Sends batches to the cluster. ready: a queue, to which each batch's future is added when
        it is done."""
        for logs in batches:
            call = pickle.dumps(_Call(logs, options, fingerprint()))
            with self._alive():
                # Not pure: the same logs must be read again.
                future = self._client.submit(
                    pickle.loads, call, pure=False, key=f"darshan-{storage.new_name()}"
                )
            self._batches[future] = logs
            future.add_done_callback(ready.put)

    def _part(self, future: Any, logs: list[Found]) -> Part | None:
        """Returns the part of a batch; None if its workers died, after which other batches
        continue. future: Dask's result of the batch. logs: of the batch. Raises LakeError if a
        worker could not read the logs."""
        try:
            far: Far = future.result()
        except distributed.KilledWorker:
            self._lost += logs
            return None
        except ImportError as error:
            raise LakeError(
                f"a worker at {self.name} lacks a Python package: {_line(error)}; each worker "
                "needs darshan_report and its packages (guide centre.md)"
            ) from None
        except Exception as error:
            self._still_there()
            raise LakeError(f"{self.name}: {type(error).__name__}: {_line(error)}") from None
        if far.part is None:
            raise LakeError(f"{far.worker} {far.error}")
        for log, why in far.part.odd:
            if files.is_as_found(log):
                raise LakeError(
                    f"the worker {far.worker} cannot read {log.path}: {why}; each worker needs the "
                    "logs under the same path, and permission to read them"
                )
        return far.part

    def _still_there(self) -> None:
        if self._client.status != "running":
            raise LakeError(f"lost the connection to the Dask scheduler at {self.name}")

    @contextlib.contextmanager
    def _alive(self) -> Iterator[None]:
        """A context in which a failed request to the scheduler becomes a LakeError."""
        try:
            yield
        except Exception as error:
            raise LakeError(
                f"lost the connection to the Dask scheduler at {self.name}: {_line(error)}"
            ) from None

    def _give_up(self, run: str) -> None:
        """Cancels the batches in progress and removes their files. run: the folder of these
        files."""
        with contextlib.suppress(Exception):
            if self._batches and self._client.status == "running":
                self._client.cancel(list(self._batches))
        self._batches = {}
        # Renamed first, so that a worker that is still running finds no folder for its next file.
        over = f"{run}.over"
        with contextlib.suppress(OSError):
            os.rename(run, over)
        shutil.rmtree(over, ignore_errors=True)

    def close(self) -> None:
        """Closes the connection. The scheduler and its workers continue."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=_SECONDS)


def _versions(said: dict[str, Any] | None) -> dict[str, str]:
    """Returns the versions of packages that must agree, by their names. Python's has no patch
    level, which makes no difference here. said: what Dask reports about one process. A version that
    is missing there is "None"."""
    packages = dict((said or {}).get("packages", {}))
    packages["python"] = ".".join(str(packages.get("python", "")).split(".")[:2])
    return {name: str(packages.get(name)) for name in _COMPARED}


def _of_lost(logs: list[Found]) -> str:
    return (
        f"workers died again and again at {len(logs):,} logs, which are not collected (the first "
        f"is {logs[0].path}); the others are"
    )
