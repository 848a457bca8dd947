"""What a worker does, in a process of its own, here or on another machine: it makes parts.

collect_part is a plain function of what can be pickled, so any engine that maps functions
over lists runs it: concurrent.futures here, Dask on a cluster.
"""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..library import LibraryMissing
from . import columns
from .commit import place
from .commit.commits import Snapshot
from .commit.place import LakeError
from .commit.seen import Seen
from .read.files import Found
from .write import arrow
from .write.part import Options, Part, make


class _Known:
    """What a lake has, as a worker knows it."""

    def __init__(self, lake: str) -> None:
        self._snapshot = Snapshot(lake)
        self._seen = Seen(lake)
        self._lock = threading.Lock()  # a worker of Dask may have several threads

    def has(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Which logs it has, after the commits that there are now."""
        with self._lock:
            self._snapshot.refresh()
            self._seen.update(self._snapshot.seen)
            return self._seen.has(high, low)


@functools.cache
def _known(lake: str) -> _Known:
    return _Known(lake)


def alone() -> None:
    """For a process that does nothing but this: it is one core, as many of them are started
    as are wanted, and needs no pandas."""
    arrow.without_pandas()
    pa.set_cpu_count(1)


def collect_part(logs: Sequence[Found], options: Options) -> Part:
    """Makes a part of these logs, of those that the lake does not have.

    It may be done again after a worker has died: what that one left is no part of the lake.
    """
    return make(logs, options, _known(options.lake).has)


@dataclass
class Far:
    """A part and who made it, or why there is none: errors go as words, since not everything
    that an exception holds comes through to another machine."""

    worker: str
    part: Part | None = None
    error: str = ""


@functools.cache
def fingerprint() -> str:
    """Equal where the package and the library's tables are the same."""
    said = hashlib.blake2b(digest_size=8)
    top = Path(__file__).parents[1]
    for path in sorted(top.rglob("*.py")):
        if not path.name.startswith("_installed"):  # where it lies
            said.update(path.relative_to(top).as_posix().encode() + path.read_bytes())
    for table in columns.tables().values():
        said.update(arrow.shape(arrow.schema(table)).encode())
    return said.hexdigest()


def collect_far(logs: Sequence[Found], options: Options, wanted: str) -> Far:
    """The same on a machine of which nothing is known.  wanted: the collector's fingerprint."""
    far = Far(f"the worker on {socket.gethostname()}")
    try:
        if fingerprint() != wanted:
            far.error = "has another release of darshan-report than there is here"
        elif not os.path.isdir(os.path.join(options.lake, place.WORK, options.run)):
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
