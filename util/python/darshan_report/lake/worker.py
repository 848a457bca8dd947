"""The work of a worker process, on this machine or another one: it makes parts of a collection.

The arguments and results of collect_part() can be pickled. Every engine that maps functions over
lists can run it: concurrent.futures on this machine, Dask on a cluster."""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..classes import dataclass
from ..library import LibraryMissing
from . import columns
from .commit import storage
from .commit.commits import Snapshot
from .commit.seen import Seen
from .commit.storage import LakeError
from .read.files import Found
from .write import arrow
from .write.part import Options, Part, make


class _Known:
    """The logs that a lake has. Threads of one worker process share this object."""

    def __init__(self, lake: str) -> None:
        self._snapshot = Snapshot(lake)
        self._seen = Seen(lake)
        self._lock = threading.Lock()  # a worker of Dask may have several threads

    def has(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Returns a mask of the logs that the lake has after its newest commit. high, low: upper
        and lower 64 bits of their identities."""
        with self._lock:
            self._snapshot.refresh()
            self._seen.update(self._snapshot.seen)
            return self._seen.has(high, low)


@functools.cache
def _known(lake: str) -> _Known:
    return _Known(lake)


def alone() -> None:
    """Prepares a process that is only a worker: Arrow uses one core, because the collector starts a
    process per core, and does not import pandas."""
    arrow.without_pandas()
    pa.set_cpu_count(1)


def collect_part(logs: Sequence[Found], options: Options) -> Part:
    """Returns a part that is made from those of the logs that the lake does not have. The collector
    may repeat the call after a worker died; files of the dead worker are never committed."""
    return make(logs, options, _known(options.lake).has)


@dataclass
class Far:
    """The part that a worker on another machine made, or the reason why it made none. worker:
    describes the worker in messages. error: a string, because some exceptions cannot be sent to
    another machine."""

    worker: str
    part: Part | None = None
    error: str = ""


@functools.cache
def fingerprint() -> str:
    """Returns a hash that is equal for equal Python code of this package and equal tables of the
    library."""
    said = hashlib.blake2b(digest_size=8)
    top = Path(__file__).parents[1]
    for path in sorted(top.rglob("*.py")):
        if not path.name.startswith("_installed"):  # it has the installation's paths
            said.update(path.relative_to(top).as_posix().encode() + path.read_bytes())
    for table in columns.tables().values():
        said.update(arrow.shape(arrow.schema(table)).encode())
    return said.hexdigest()


def collect_far(logs: Sequence[Found], options: Options, wanted: str) -> Far:
    """Makes a part from those of the logs that the lake does not have, on a machine that may have
    another release or may not see the lake. The result has the part or, in place of an exception,
    the error. wanted: the collector's fingerprint(), with which the one here must agree."""
    far = Far(f"the worker on {socket.gethostname()}")
    try:
        if fingerprint() != wanted:
            far.error = "has another release of darshan-report than there is here"
        elif not os.path.isdir(os.path.join(options.lake, storage.WORK, options.run)):
            far.error = (
                f"does not see {options.lake} as it is here; each worker needs the lake under "
                "the same name, and the right to write there"
            )
        else:
            far.part = collect_part(logs, options)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        far.error = f"says: {where}{error.strerror or error}"
    except (LakeError, LibraryMissing) as error:
        far.error = f"says: {error}"
    except Exception as error:
        said = str(error).split("\n")[0][:200]
        far.error = f"says: {type(error).__name__}: {said}"
    return far
